import type { GameModule } from '../contract';
import Board from './Board.svelte';
import { words } from './words';

export const game: GameModule = {
  key: 'backgammon',
  words,
  Board,
  presets: [
    { key: 'quick', config: {} },
    { key: 'match3', config: { match: 3 } },
    { key: 'match7', config: { match: 7 } },
  ],
  plates: true,
  rematch: true,
  unit: 'chips',
  active: () => [],
  describe: () => [],
  result: () => null,
};
