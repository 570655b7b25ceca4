import type { GameModule } from '../contract';
import Board from './Board.svelte';
import Options from './Options.svelte';
import { describe, note, result } from './telling';
import type { Backgammon } from './types';
import { words } from './words';

export const game: GameModule<Backgammon> = {
  key: 'backgammon',
  words,
  Board,
  Options,
  presets: [
    { key: 'quick', config: {} },
    { key: 'match3', config: { match: 3 } },
    { key: 'match7', config: { match: 7 } },
  ],
  plates: true,
  rematch: true,
  unit: 'chips',
  active: ({ status, resignation, up, match }) => {
    if (!match.begun || status === 'finished') return [];
    return resignation ? [1 - resignation.seat] : [up];
  },
  note,
  describe,
  result,
};
