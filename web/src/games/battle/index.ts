import type { GameModule, Result, Telling } from '../contract';
import Board from './Board.svelte';
import Options from './Options.svelte';
import { LOOK_MS } from './reveal.svelte';
import { both, cardsOf, chairsOf, hpOf, type Battle, type End, type Sight, type Slot, type View } from './types';
import { words } from './words';

const cardName = (card: Slot, t: Telling<Battle>['t']) => t(card ? `card.${card}` : 'empty');

/** Who, in the words for oneself, for another, or for both. */
function whose(seat: number | null, own: number | null): 'you' | 'other' | 'both' {
  if (seat === null) return 'both';
  return seat === own ? 'you' : 'other';
}

function reason({ reason, loser }: End, { view, seat, names, t }: Telling<Battle>): string {
  const [hp, hp2] = hpOf(view);
  if (reason === 'timeout' || reason === 'disconnect') {
    return t(`reason.${reason}.${whose(loser, seat)}`, { name: names[loser ?? 0] ?? '' });
  }
  return t(`reason.${reason}`, { hp, hp2 });
}

function pot({ winner, potBurn }: End, { view, seat, names, t }: Telling<Battle>): string {
  const { stake } = view.config;
  if (stake === 0) return '';
  if (potBurn) return t('pot.burned', { n: 2 * stake });
  if (winner === null) return t('pot.back', { n: stake });
  return t(winner === seat ? 'pot.you' : 'pot.other', { n: 2 * stake, name: names[winner] ?? '' });
}

const ending = (end: End, telling: Telling<Battle>) =>
  [reason(end, telling), pot(end, telling)].filter(Boolean).join(' ');

function told(sight: Sight, telling: Telling<Battle>): string | null {
  const { view, names, t } = telling;
  switch (sight.type) {
    case 'match_found':
      return sight.pot > 0 ? t('said.found', { n: sight.pot }) : t('said.friendly');
    case 'prep_start':
      return t(sight.suddenDeath ? 'said.sudden' : 'said.round', { n: sight.roundIndex });
    case 'confirm_ok':
      return t('said.confirmed', { cards: sight.layout.map((card) => cardName(card, t)).join(', ') });
    case 'error_msg':
      return t('refused.invalid_card');
    case 'step_reveal': {
      const [one, other] = chairsOf(view).map((chair) => names[chair] ?? '') as [string, string];
      const [card, card2] = cardsOf(sight).map((card) => cardName(card, t)) as [string, string];
      const [hp, hp2] = hpOf(sight);
      return t('said.pair', { n: sight.step, one, other, card, card2, hp, hp2 });
    }
    case 'match_end':
      return ending(sight, telling);
    case 'round_end':
      return null;
  }
}

/** Both lay at the same time; whether the other has confirmed is not told, so they seem to lay until all is shown. */
function active(view: View): number[] {
  if (view.phase !== 'PREP') return [];
  const confirmed = both(view, 'Confirmed');
  return chairsOf(view).filter((_, side) => !confirmed[side]);
}

function result(view: View, telling: Telling<Battle>): Result | null {
  if (!view.end) return null;
  const title = view.end.bothLose ? telling.t('title.burned') : undefined;
  return { winner: view.end.winner, text: ending(view.end, telling), title };
}

// Usually who is gone has lost; a page that is loaded again is not gone.
const options = { disconnect_grace_ms: 60_000 };

export const game: GameModule<Battle> = {
  key: 'battle',
  words,
  Board,
  Options,
  presets: [
    { key: 'quick', config: {}, options },
    { key: 'calm', config: { prep_ms: 60_000 }, options },
  ],
  plates: true,
  rematch: true,
  unit: 'tokens',
  looked_at_ms: LOOK_MS,
  active,
  note: (view, seat, t) => (both(view, 'Confirmed')[chairsOf(view).indexOf(seat)] ? t('ready') : ''),
  describe: (sights, telling) =>
    sights.map((sight) => told(sight, telling)).filter((line) => line !== null),
  result,
};
