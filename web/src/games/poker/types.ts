import type { GameTypes } from '../contract';
import type { words } from './words';

/** 0 play, 1 wait for the big blind, 2 pause, 3 leave. */
export type Intent = 0 | 1 | 2 | 3;
export type Pre = 'fold' | 'check_fold' | 'call_any';

export interface Player {
  seat: number;
  stack: number;
  /** Of this round. */
  bet: number;
  status: 'in' | 'folded' | 'out';
  cards: string;
  label?: string;
  intent: Intent;
  inactive: boolean;
  debt: number;
  blind: number;
}

export interface Pot {
  amount: number;
  seats: number[];
}

/** The view of docs/poker.md. */
export interface View {
  phase: 'open' | 'closed';
  hand: number;
  variant: Variant;
  /** Their numbers in `log` are their places here, from 1. */
  players: Player[];
  board: string;
  boards?: string[];
  rabbit?: string;
  pots: Pot[];
  actor: number | null;
  button: number | null;
  log: string[];
  pre: Pre | null;
}

export type Variant =
  | 'NT'
  | 'NS'
  | 'PO'
  | 'FT'
  | 'FO/8'
  | 'F7S'
  | 'F7S/8'
  | 'FR'
  | 'N2L1D'
  | 'F2L3D'
  | 'FB';

export interface Legal {
  fold: boolean;
  check: boolean;
  call: number | null;
  raise: { least: number; most: number } | null;
  bring_in?: number;
  discard?: string;
  show: boolean;
  show_some?: string;
  rabbit?: boolean;
  intents: Intent[];
  pre: (Pre | null)[];
}

export type Command =
  | { type: 'fold' | 'check' | 'call' | 'bring_in' | 'rabbit' }
  | { type: 'raise'; to: number }
  | { type: 'discard'; cards: string }
  | { type: 'show'; cards?: string }
  | { type: 'intent'; intent: Intent }
  | { type: 'pre'; pre: Pre | null };

/** A player as a hand begins. */
export interface Column {
  seat: number;
  stack: number;
  ante: number;
  blind: number;
  dead: number;
}

export type Sight =
  | { type: 'begun' | 'closed' }
  | { type: 'joined' | 'topped' | 'left'; seat: number; chips: number }
  | { type: 'wished'; seat: number; intent: Intent }
  | { type: 'prepared'; seat: number; pre: Pre | null }
  | { type: 'missed'; seat: number; turns: number }
  | { type: 'hand_begun'; hand: number; row: Column[]; variant?: Variant; bomb?: boolean }
  | { type: 'act'; act: string }
  | { type: 'rabbit'; cards: string }
  | { type: 'hand_ended'; stacks: number[]; raked: number };

export interface Poker extends GameTypes {
  View: View;
  Legal: Legal;
  Command: Command;
  Sight: Sight;
  Words: (typeof words)['en'];
}

/** The options of a table that the page looks at. */
export interface Config {
  small_blind: number;
  big_blind: number;
  min_buy_in: number;
  max_buy_in: number;
}
