import type { Translate } from '../../i18n/words';
import type { Result, Telling } from '../contract';
import { notation, pips, seatOf, type Step } from './position';
import type { Backgammon, Sight, View } from './types';

type Says = Translate<keyof Backgammon['Words'] & string>;

/** So many times the stakes, in points or chips. */
export function worth({ stakes, match }: View, times: number, t: Says): string {
  const chips = match.config.chips_a_point ?? 0;
  const n = stakes * times;
  return chips > 0 ? t('chips', { n: n * chips }) : t('points', { n });
}

/** How high a game is lost: 1, 2 or 3 times the stakes. */
export function how(times: number, t: Says): string {
  return t(times >= 3 ? 'backgammon' : times === 2 ? 'gammon' : 'single');
}

/** Pips, and the score of a match. */
export function note(view: View, seat: number, t: Says): string {
  const n = pips(view, seatOf(seat));
  const { config, score } = view.match;
  if (config.match === 0) return t('note', { n });
  return t('note.match', { score: score[seatOf(seat)], of: config.match, n });
}

/** How a game ended; nothing as long as it goes on. */
export function ending(view: View, names: string[], t: Says): string {
  const { ended } = view.match;
  if (!ended) return '';
  const won = view.winner ?? null;
  if (won === null) return t(`reason.${ended}`);
  const times = (view.payout ?? 0) / view.stakes;
  const pays = { name: names[won] ?? '', how: how(times, t), stakes: worth(view, times, t) };
  return `${t(`reason.${ended}`)} ${t('said.won', pays)}`;
}

export function result(view: View, telling: Telling<Backgammon>): Result | null {
  const { over, winner, config, score } = view.match;
  if (!over) return null;
  const [a, b] = score;
  const text = [ending(view, telling.names, telling.t), config.match > 0 ? telling.t('score', { a, b }) : ''];
  return { winner, text: text.filter(Boolean).join(' ') };
}

type Turn = { seat: number; dice: string | null; steps: Step[] };

function turn({ seat, dice, steps }: Turn, { names, t }: Telling<Backgammon>): string {
  const name = names[seat] ?? '';
  const play = notation(steps, seatOf(seat), t('bar.short'), t('off.short'));
  if (dice === null) return t('said.moved', { name, play });
  return steps.length === 0 ? t('said.rolled', { name, dice }) : t('said.played', { name, dice, play });
}

/** Sentences; the dice and the steps of one update are one of them. */
export function describe(sights: Sight[], telling: Telling<Backgammon>): string[] {
  const lines: (string | Turn)[] = [];
  for (const sight of sights) {
    const last = lines.at(-1);
    if (sight.type === 'rolled') {
      const [a, b] = sight.dice;
      lines.push({ seat: sight.seat, dice: telling.t('and', { a, b }), steps: [] });
    } else if (sight.type !== 'moved') {
      lines.push(told(sight, telling));
    } else if (typeof last === 'object' && last.seat === sight.seat) {
      last.steps.push(sight);
    } else {
      lines.push({ seat: sight.seat, dice: null, steps: [sight] });
    }
  }
  const texts = lines.map((line) => (typeof line === 'object' ? turn(line, telling) : line));
  return texts.filter(Boolean);
}

function told(sight: Sight, telling: Telling<Backgammon>): string {
  const { view, names, t } = telling;
  const name = 'seat' in sight ? (names[sight.seat] ?? '') : '';
  switch (sight.type) {
    case 'opened':
      return t('said.opened', { name: names[sight.up] ?? '' });
    case 'opening-rolled': {
      const [a, b] = sight.dice;
      const dice = { one: names[0] ?? '', a, two: names[1] ?? '', b };
      if (a === b) return t('said.tie', dice);
      return t('said.opening', { ...dice, name: names[a > b ? 0 : 1] ?? '' });
    }
    case 'automatic-double':
      return t('said.automatic-double', { stakes: worth(view, 1, t) });
    case 'undone':
    case 'passed':
    case 'resign-refused':
      return t(`said.${sight.type}`, { name });
    case 'double-proposed':
      return t('said.double-proposed', { name, stakes: worth(view, 2, t) });
    case 'accepted':
      return t('said.accepted', { name, stakes: worth(view, 1, t) });
    case 'beavered':
      return t('said.beavered', { name, stakes: worth(view, 2, t) });
    case 'resign-offered':
      return t('said.resign-offered', { name, how: how(sight.value, t) });
    case 'finished':
      return ending(view, names, t);
    case 'next-game':
      return t(view.match.crawford ? 'said.crawford' : 'said.next', { n: sight.game });
    case 'match-forfeited':
      return t('said.match-forfeited', { name });
    case 'match-closed':
      return t('reason.closed');
    default:
      return '';
  }
}
