import type { GameModule, Preset } from '../contract';
import Board from './Board.svelte';
import { describe } from './tell';
import type { Poker } from './types';
import { words } from './words';

/** Twenty seconds for a decision, and forty more in the bank; the rules allow for both. */
const TIMES: Pick<Preset, 'options'> = {
  options: { clock: { bank: { per_move_ms: 20_000, bank_ms: 40_000 } } },
};
const preset = (key: string, seats: number, config: Record<string, unknown> = {}): Preset => ({
  key,
  seats,
  config: { within_ms: 60_000, between_ms: 5_000, ...config },
  ...TIMES,
});
const MIXED = ['NT', 'PO', 'FT', 'FO/8', 'F7S', 'F7S/8', 'FR', 'N2L1D', 'F2L3D', 'FB'];

export const game: GameModule<Poker> = {
  key: 'poker',
  words,
  Board,
  presets: [
    preset('quick', 6),
    preset('heads_up', 2),
    preset('full', 9),
    preset('omaha', 6, { variants: ['PO'] }),
    preset('short', 6, { variants: ['NS'] }),
    preset('mixed', 6, { variants: MIXED }),
  ],
  chips: { usual: 100, least: 40, most: 400 },
  plates: false,
  rematch: false,
  unit: 'chips',
  files: ['phhs', 'pokerstars'],
  active: (view) => (view.actor === null ? [] : [view.actor]),
  describe,
  result: (view, { t }) => (view.phase === 'closed' ? { winner: null, text: t('closed') } : null),
};
