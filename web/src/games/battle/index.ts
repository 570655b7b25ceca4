import type { GameModule } from '../contract';
import Board from './Board.svelte';
import { words } from './words';

export const game: GameModule = {
  key: 'battle',
  words,
  Board,
  presets: [
    // Usually who is gone has lost; a page that is loaded again is not gone.
    { key: 'quick', config: {}, options: { disconnect_grace_ms: 60_000 } },
  ],
  plates: true,
  rematch: true,
  unit: 'tokens',
  active: () => [],
  describe: () => [],
  result: () => null,
};
