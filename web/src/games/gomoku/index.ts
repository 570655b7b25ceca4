import type { GameModule, Preset, Result, Telling } from '../contract';
import Board from './Board.svelte';
import Options from './Options.svelte';
import { assignment } from './opening';
import { pointName, RULES, type Gomoku, type Rule, type Sight, type View } from './types';
import { words } from './words';

type Tells = Telling<Gomoku>;

/** How the game before the view went, which ended by this sight. */
function ended(sight: Extract<Sight, { type: 'finished' }>, { names, t }: Tells): string {
  const reason = t(`reason.${sight.reason}`);
  return sight.winner === null ? reason : t('said.won', { name: names[sight.winner] ?? '', reason });
}

/** The numbers of the stones that the sights bring: the last of them is the last that lies. */
function numbers(sights: Sight[], view: View): Map<Sight, number> {
  const placed = sights.filter((sight) => sight.type === 'stone_placed');
  const lie = view.swap2State?.tentativeStones.length ?? 0;
  return new Map(placed.map((sight, i) => [sight, lie - placed.length + i + 1]));
}

function told(sight: Sight, telling: Tells, n: number): (string | null)[] {
  const { view, names, t } = telling;
  const name = 'seat' in sight ? (names[sight.seat] ?? '') : '';
  const auto = (said: string) => ('auto' in sight && sight.auto ? t('said.auto', { said }) : said);
  switch (sight.type) {
    case 'begun':
      return [t('said.begun', { name: names[sight.opener] ?? '' })];
    case 'moved':
      return [t('said.moved', { name, at: pointName(sight, view.board.length) })];
    case 'stone_placed':
      return [auto(t('said.stone_placed', { name, n, at: pointName(sight, view.board.length) }))];
    case 'choice_made':
      return [
        auto(t('said.choice', { name, choice: t(`choice.${sight.choice}`) })),
        sight.choice === 'place_more' ? null : colours(telling),
      ];
    case 'offered':
    case 'declined':
      return [t(`said.${sight.type}.${sight.offer}`, { name })];
    case 'taken_back':
      return [t('said.taken_back', { name, n: sight.stones })];
    case 'finished':
      return [ended(sight, telling)];
    case 'next-game':
      return [t('said.next', { n: sight.game })];
    case 'match-forfeited':
      return [t('reason.left')];
    case 'match-closed':
      return [t('reason.closed')];
  }
}

function colours({ view, names, t }: Tells): string | null {
  const has = assignment(view);
  if (!has) return null;
  const [black, white, first] = [has.black, has.white, has.first].map((seat) => names[seat] ?? '');
  return t('said.colours', { black: black ?? '', white: white ?? '', first: first ?? '' });
}

function result({ match, reason }: View, { t }: Tells): Result | null {
  if (!match.over) return null;
  const why = reason ? t(`reason.${reason}`) : '';
  const text = match.config.match > 0 ? t('said.series', { score: match.score.join(' : '), reason: why }) : why;
  return { winner: match.winner, text };
}

const preset = (rule: Rule): Preset => ({ key: rule, config: { rule } });
const [first, ...others] = RULES;

export const game: GameModule<Gomoku> = {
  key: 'gomoku',
  words,
  Board,
  Options,
  presets: [preset(first), ...others.map(preset)],
  plates: true,
  rematch: true,
  unit: 'chips',
  active: (view) => (view.up === null ? [] : [view.up]),
  note: (view, seat, t) => (view.black === null ? '' : t(view.black === seat ? 'black' : 'white')),
  describe: (sights, telling) => {
    const order = numbers(sights, telling.view);
    return sights.flatMap((sight) => told(sight, telling, order.get(sight) ?? 0)).filter((line) => line !== null);
  },
  result,
};
