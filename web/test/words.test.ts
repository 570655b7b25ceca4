import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { words as git } from '../src/git/words';
import { en } from '../src/i18n/en';
import { ru } from '../src/i18n/ru';
import { vi } from '../src/i18n/vi';
import { worded, type Dictionary, type Word, type Words } from '../src/i18n/words';

const games = import.meta.glob<{ words: Dictionary<Words> }>('../src/games/*/words.ts', { eager: true });
const all: [string, Dictionary<Words>][] = [
  ['shell', { en, ru, vi }],
  ['git', git],
  ...Object.entries(games).map(([path, { words }]): [string, Dictionary<Words>] => [path.split('/').at(-2) ?? '', words]),
];

/** Texts that are the same in every language: names, and what is made of places to fill in. */
const NAMES = ['parlor'];
const forms = (word: Word) => (typeof word === 'string' ? [word] : Object.values(word));
const filled = (word: Word) =>
  [...new Set(forms(word).flatMap((form) => form.match(/\{\w+\}/g) ?? []))].sort();
const hasLetters = (word: Word) => forms(word).some((form) => /\p{L}/u.test(form.replace(/\{\w+\}/g, '')));

describe.each(all)('%s', (_, words) => {
  test.each(['ru', 'vi'] as const)('%s has the same keys, with the same places to fill in', (language) => {
    expect(Object.keys(words[language]).sort()).toEqual(Object.keys(words.en).sort());
    for (const [key, word] of Object.entries(words.en)) {
      expect(filled(words[language][key] ?? ''), key).toEqual(filled(word));
    }
  });

  test.each(['ru', 'vi'] as const)('%s is not English', (language) => {
    const left = Object.entries(words.en)
      .filter(([key, word]) => !NAMES.includes(key) && hasLetters(word))
      .filter(([key, word]) => JSON.stringify(words[language][key]) === JSON.stringify(word));
    expect(left).toEqual([]);
  });

  test('every plural form that a language has is there', () => {
    for (const language of ['en', 'ru', 'vi'] as const) {
      const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
      for (const [key, word] of Object.entries(words[language])) {
        if (typeof word !== 'string') expect(Object.keys(word).sort(), key).toEqual([...pluralCategories].sort());
      }
    }
  });
});

test('the form of a text goes by its number', () => {
  const word = ru['queue.since'];
  expect([1, 3, 11].map((n) => worded(word, 'ru', { n }))).toEqual(['1 секунда', '3 секунды', '11 секунд']);
});

test('every refusal of the protocol has a sentence', () => {
  const page = readFileSync(new URL('../../docs/protocol.md', import.meta.url), 'utf8');
  const rows = page.split('## Refusals')[1]?.split('## ')[0]?.match(/^\| `.*?\|/gm) ?? [];
  const codes = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, code]) => `refused.${code}`));
  expect(codes.length).toBeGreaterThan(60);
  expect(codes.filter((code) => !(code in en))).toEqual([]);
});
