import type { GameTypes } from '../contract';
import type { words } from './words';

export type Card = 'attack' | 'defense' | 'heal' | 'counter';
/** Null: empty. */
export type Slot = Card | null;
export type Layout = [Slot, Slot, Slot];
/** One thing of each side: the near one, which is the own if one has a seat, and the far one. */
export type Pair<T> = [near: T, far: T];

/** The same in the words of the protocol: `yourHp` and `oppHp` for a seat, `aHp` and `bHp` for a watcher. */
export type Sided<W extends string, T> = Partial<Record<`${'your' | 'opp' | 'a' | 'b'}${W}`, T>>;

export interface End {
  reason: 'normal' | 'timeout' | 'disconnect' | 'draw' | 'closed';
  winner: number | null;
  loser: number | null;
  potBurn: boolean;
  bothLose: boolean;
}

/** What a seat sees, as docs/battle.md has it; a watcher sees nothing that is one seat's own. */
export type View = {
  phase: 'PREP' | 'REVEAL' | 'END' | null;
  roundIndex: number;
  suddenDeath: boolean;
  pot: number;
  yourSeat?: number;
  yourDraft?: Layout;
  yourAfkStreak?: number;
  revealed: Sided<'Card', Slot>[];
  within_ms: number | null;
  end: End | null;
  config: { max_hp: number; rounds: number; stake: number };
} & Sided<'Hp', number> &
  Sided<'Hand', Card[]> &
  Sided<'Confirmed', boolean>;

export interface Legal {
  commands: string[];
  hand: Card[];
}

export interface Command {
  type: 'layout_draft' | 'layout_confirm';
  layout: Layout;
}

export type Step = { type: 'step_reveal'; step: number } & Sided<'Card', Slot> & Sided<'Hp', number>;

export type Sight =
  | { type: 'match_found'; pot: number }
  | { type: 'prep_start'; roundIndex: number; suddenDeath: boolean }
  | { type: 'confirm_ok'; layout: Layout }
  | { type: 'error_msg'; code: 'invalid_card' }
  | Step
  | { type: 'round_end' }
  | ({ type: 'match_end' } & End);

export interface Battle extends GameTypes {
  View: View;
  Legal: Legal;
  Command: Command;
  Sight: Sight;
  Words: (typeof words)['en'];
}

/** Something of both sides, from the words of the protocol. */
export function both<W extends string, T>(from: Sided<W, T>, what: W): Pair<T | undefined> {
  return [from[`your${what}`] ?? from[`a${what}`], from[`opp${what}`] ?? from[`b${what}`]];
}

/** The chairs of the near and of the far side. */
export function chairsOf(view: View): Pair<number> {
  const near = view.yourSeat ?? 0;
  return [near, 1 - near];
}

export const hpOf = (from: Sided<'Hp', number>): Pair<number> => {
  const [near = 0, far = 0] = both(from, 'Hp');
  return [near, far];
};

export const cardsOf = (from: Sided<'Card', Slot>): Pair<Slot> => {
  const [near = null, far = null] = both(from, 'Card');
  return [near, far];
};

/** A change of HP, as it is written. */
export function signed(change: number): string {
  if (change === 0) return '0';
  return change > 0 ? `+${change}` : `−${-change}`;
}
