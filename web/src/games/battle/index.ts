import type { GameModule } from '../contract';
import Board from './Board.svelte';
import { words } from './words';

export const game: GameModule = {
  key: 'battle',
  words,
  Board,
  presets: [
    { key: 'quick', config: {} },
  ],
  plates: true,
  rematch: true,
  active: () => [],
  describe: () => [],
  result: () => null,
};
