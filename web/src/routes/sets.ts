import type { GameKey } from '../games/contract';
import { SIZES } from '../games/gomoku/settings';
import { RULES } from '../games/gomoku/types';
import { t, type Key } from '../i18n';

/** What ratings are kept for, by game: the sets of docs/protocol.md. */
export const SETS: Record<GameKey, string[]> = {
  backgammon: ['match', 'money'],
  poker: [],
  battle: ['standard'],
  gomoku: SIZES.flatMap((size) => RULES.map((rule) => (size === SIZES[0] ? rule : `${rule}-${size}`))),
};

/** How a set is called. */
export function setName(game: string, set: string): string {
  const [rule = '', size] = set.split('-');
  const key = `set.${game}.${rule}`;
  const name = t(key as Key);
  const shown = name === key ? rule : name;
  return size ? `${shown}, ${size} × ${size}` : shown;
}
