import type { Column, Player, Sight, View } from './types';

/** A line of a hand history: `d dh p1 AsKd`, `d db 2d7cJh`, `p3 cbr 6`, `p1 cc`. */
export type Act =
  | { does: 'hole'; player: number; cards: string }
  | { does: 'board'; cards: string }
  | { does: 'fold' | 'call' | 'bring_in'; player: number }
  | { does: 'raise'; player: number; to: number }
  | { does: 'show' | 'discard'; player: number; cards: string };

const WORDS = { f: 'fold', cc: 'call', pb: 'bring_in', sm: 'show', sd: 'discard' } as const;

export function readAct(line: string): Act | null {
  const [who = '', what = '', third = '', fourth = ''] = line.split(/ *#/)[0]?.split(' ') ?? [];
  if (who === 'd') {
    if (what === 'db') return { does: 'board', cards: third };
    return { does: 'hole', player: Number(third.slice(1)) - 1, cards: fourth };
  }
  const player = Number(who.slice(1)) - 1;
  if (what === 'cbr') return { does: 'raise', player, to: Number(third) };
  const does = WORDS[what as keyof typeof WORDS];
  if (!does) return null;
  if (does === 'show' || does === 'discard') return { does, player, cards: third.replace('-', '') };
  return { does, player };
}

const whole = (n: number) => Math.round(n * 10_000) / 10_000;

interface Bettor {
  seat: number;
  stack: number;
  bet: number;
}

/** What an act came to: whether it was a check, what a call cost, whether all went in. */
export interface Bet {
  check: boolean;
  paid: number;
  allIn: boolean;
}

/** Follows what is bet, so that an act can be told in full. */
export class Betting {
  private row: Bettor[] = [];
  private acted = false;

  constructor(before: View | null) {
    this.row = before?.players.map(({ seat, stack, bet }) => ({ seat, stack, bet })) ?? [];
    const last = readAct(before?.log.at(-1) ?? '');
    this.acted = last !== null && last.does !== 'hole' && last.does !== 'board';
  }

  begin(row: Column[]): void {
    this.acted = false;
    this.row = row.map(({ seat, stack, ante, blind, dead }) => {
      const left = Math.max(0, stack - ante - dead);
      const bet = Math.min(left, blind);
      return { seat, stack: left - bet, bet };
    });
  }

  seat(player: number): number | undefined {
    return this.row[player]?.seat;
  }

  /** `most` is what a bring-in came to. */
  act(act: Act, most: number): Bet {
    const none = { check: false, paid: 0, allIn: false };
    if (act.does === 'hole' || act.does === 'board' || act.does === 'discard') {
      if (this.acted) for (const player of this.row) player.bet = 0;
      this.acted = false;
      return none;
    }
    const player = this.row[act.player];
    if (!player || act.does === 'show') return none;
    this.acted = true;
    if (act.does === 'fold') return none;
    const high = Math.max(0, ...this.row.map(({ bet }) => bet));
    const to = act.does === 'raise' ? act.to : act.does === 'call' ? high : most;
    const paid = whole(Math.max(0, Math.min(player.stack, to - player.bet)));
    player.stack = whole(player.stack - paid);
    player.bet = whole(player.bet + paid);
    return { check: act.does === 'call' && paid === 0, paid, allIn: paid > 0 && player.stack === 0 };
  }

  /** What each has won, by the stacks at the end; what nobody matched is not won. */
  won(stacks: number[]): Award[] {
    const [high = 0, second = 0] = this.row.map(({ bet }) => bet).sort((a, b) => b - a);
    const awards = this.row.map(({ seat, stack, bet }, i) => {
      const back = bet === high ? high - second : 0;
      return { seat, chips: whole((stacks[i] ?? stack) - stack - back) };
    });
    return awards.filter(({ chips }) => chips > 0);
  }
}

export interface Award {
  seat: number;
  chips: number;
}

/** What the hand that has ended among these sights has brought; null: none has, or it is not known. */
export function awards(sights: Sight[], before: View | null, view: View): Award[] | null {
  if (!before && !sights.some(({ type }) => type === 'hand_begun')) return null;
  const betting = new Betting(before);
  let last: Award[] | null = null;
  for (const sight of sights) {
    if (sight.type === 'hand_begun') {
      betting.begin(sight.row);
      last = null;
    }
    if (sight.type === 'hand_ended') last = betting.won(sight.stacks);
    const act = sight.type === 'act' ? readAct(sight.act) : null;
    if (act) betting.act(act, broughtIn(act, view));
  }
  return last;
}

export const broughtIn = (act: Act, view: View): number =>
  (act.does === 'bring_in' ? view.players[act.player]?.bet : 0) || 1;

/** The states of who sits at a table: what is wanted, and what is. */
export type Standing =
  | 'plays'
  | 'asks_bb'
  | 'asks_pause'
  | 'asks_leave'
  | 'joins'
  | 'returns'
  | 'waits'
  | 'pauses'
  | 'leaves';

export function standing({ inactive, intent, debt }: Player): Standing {
  if (!inactive) return (['plays', 'asks_bb', 'asks_pause', 'asks_leave'] as const)[intent];
  if (intent === 0) return debt > 0 ? 'returns' : 'joins';
  return (['waits', 'pauses', 'leaves'] as const)[intent - 1] ?? 'leaves';
}

/** What a player has last done in this round; null: nothing. */
export function lastAct(view: View, place: number): Act | null {
  for (const line of view.log.toReversed()) {
    const act = readAct(line);
    if (!act || act.does === 'board' || act.does === 'hole') return null;
    if (act.player === place) return act;
  }
  return null;
}

/** All that is played for: pots, and the bets of this round. */
export const potOf = (view: View): number =>
  whole([...view.pots.map(({ amount }) => amount), ...view.players.map(({ bet }) => bet)].reduce((a, b) => a + b, 0));

/** A raise by a part of the pot, as it is after a call, within what is allowed. */
export function raiseBy(
  part: number,
  { pot, bet, call, least, most, step }: { pot: number; bet: number; call: number; least: number; most: number; step: number },
): number {
  const to = bet + call + part * (pot + call);
  return Math.min(most, Math.max(least, whole(Math.round(to / step) * step)));
}
