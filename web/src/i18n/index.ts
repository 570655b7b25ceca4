import { prefs } from '../state/prefs.svelte';
import { en } from './en';
import { ru } from './ru';
import { vi } from './vi';
import { worded, type Dictionary, type Translate, type Words } from './words';

export type Key = keyof typeof en & string;

/** Texts of a dictionary in the language of the reader; anew when that changes. */
export function translator<W extends Words>(words: Dictionary<W>): Translate<keyof W & string> {
  return (key, params) => {
    const word = words[prefs.language][key];
    return word === undefined ? key : worded(word, prefs.language, params);
  };
}

export const shell: Dictionary<typeof en> = { en, ru, vi };
export const t: Translate<Key> = translator(shell);

/** How a game is called. */
export const gameName = (game: string): string => {
  const key = `game.${game}`;
  return key in shell.en ? t(key as Key) : game;
};

interface Why {
  code: string;
  facts?: Record<string, unknown>;
}

/** Why something was refused, for people: first in the words of the game, then in the shell's. */
export function sentence(refused: Why, game?: Dictionary<Words>): string {
  const key = `refused.${refused.code}`;
  const params = Object.fromEntries(
    Object.entries(refused.facts ?? {}).filter(([, fact]) => ['string', 'number'].includes(typeof fact)),
  ) as Record<string, string | number>;
  if (game && key in game.en) return translator(game)(key, params);
  if (key in shell.en) return t(key as Key, params);
  return t('refused.other', { code: refused.code });
}
