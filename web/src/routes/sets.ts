import type { GameKey } from '../games/contract';
import { t, type Key } from '../i18n';

const RULES = ['caro', 'standard', 'caro_overline', 'freestyle', 'renju'];

/** What ratings are kept for, by game: the sets of docs/protocol.md. */
export const SETS: Record<GameKey, string[]> = {
  backgammon: ['match', 'money'],
  poker: [],
  battle: ['standard'],
  gomoku: ['', '-19', '-20'].flatMap((size) => RULES.map((rule) => rule + size)),
};

/** How a set is called. */
export function setName(game: string, set: string): string {
  const [rule = '', size] = set.split('-');
  const key = `set.${game}.${rule}`;
  const name = t(key as Key);
  const shown = name === key ? rule : name;
  return size ? `${shown}, ${size} × ${size}` : shown;
}
