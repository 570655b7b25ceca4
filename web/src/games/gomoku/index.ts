import type { GameModule, Telling } from '../contract';
import Board from './Board.svelte';
import { pointName, type Gomoku, type Sight } from './types';
import { words } from './words';

function told(sight: Sight, { view, names, t }: Telling<Gomoku>): string | null {
  const name = 'seat' in sight ? (names[sight.seat] ?? '') : '';
  switch (sight.type) {
    case 'begun':
      return t('said.begun', { name: names[sight.opener] ?? '' });
    case 'moved':
    case 'stone_placed':
      return t('said.stone', { name, at: pointName(sight, view.board.length) });
    case 'choice_made':
      return t('said.choice', { name, choice: t(`choice.${sight.choice}`) });
    case 'offered':
    case 'declined':
      return t(`said.${sight.type}`, { name, offer: t(`offer.${sight.offer}`) });
    case 'taken_back':
      return t('said.taken_back', { name });
    case 'finished':
      return t(`reason.${sight.reason}`);
    case 'next-game':
      return t('said.next', { n: sight.game });
    default:
      return null;
  }
}

export const game: GameModule<Gomoku> = {
  key: 'gomoku',
  words,
  Board,
  presets: [
    { key: 'quick', config: {} },
    { key: 'freestyle', config: { rule: 'freestyle' } },
    { key: 'swap2', config: { rule: 'standard', swap2Enabled: true } },
    { key: 'renju', config: { rule: 'renju' } },
  ],
  plates: true,
  rematch: true,
  unit: 'chips',
  active: (view) => (view.up === null ? [] : [view.up]),
  note: (view, seat, t) =>
    view.black === null ? t('undecided') : t(view.black === seat ? 'black' : 'white'),
  describe: (sights, telling) =>
    sights.map((sight) => told(sight, telling)).filter((line) => line !== null),
  result: (view, { t }) =>
    view.match.over
      ? { winner: view.match.winner, text: view.reason ? t(`reason.${view.reason}`) : '' }
      : null,
};
