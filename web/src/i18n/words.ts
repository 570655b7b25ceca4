import type { Language } from '$wire';

/** A text with {names} in it; or one for each plural form of `n`. */
export type Word = string | ({ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);
export type Words = Record<string, Word>;
/** The same keys, in another language. */
export type Same<W extends Words> = { [K in keyof W]: Word };
export type Dictionary<W extends Words> = Record<Language, Same<W>>;
export type Params = Record<string, string | number>;
export type Translate<K extends string = string> = (key: K, params?: Params) => string;

/** A text of a dictionary in one language. */
export function worded(word: Word, language: Language, params: Params = {}): string {
  const text =
    typeof word === 'string'
      ? word
      : (word[new Intl.PluralRules(language).select(Number(params.n))] ?? word.other);
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name];
    return typeof value === 'number' ? value.toLocaleString(language) : (value ?? whole);
  });
}
