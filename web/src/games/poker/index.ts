import type { GameModule } from '../contract';
import Board from './Board.svelte';
import { words } from './words';

export const game: GameModule = {
  key: 'poker',
  words,
  Board,
  presets: [
    { key: 'quick', seats: 6, config: {} },
    { key: 'heads_up', seats: 2, config: {} },
    { key: 'full', seats: 9, config: {} },
  ],
  chips: { usual: 100, least: 40, most: 400 },
  plates: false,
  rematch: false,
  unit: 'chips',
  active: () => [],
  describe: () => [],
  result: () => null,
};
