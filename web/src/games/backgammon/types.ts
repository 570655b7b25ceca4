import type { GameTypes } from '../contract';
import type { Position, Seat, Step } from './position';
import type { words } from './words';

export type Reason = 'borne-off' | 'forfeit' | 'resigned' | 'timeout' | 'left' | 'closed';

/** The document of docs/backgammon.md, as far as the page looks at it. */
export interface View extends Position {
  up: Seat;
  status: 'pending' | 'double-proposed' | 'finished';
  stakes: number;
  holdsCube: Seat | -1;
  /** Those still to play. */
  dice: number[];
  rolled: boolean;
  played: Step[];
  resignation: { seat: Seat; value: number } | null;
  winner?: Seat | null;
  payout?: number;
  match: {
    config: { cube: boolean; match: number; chips_a_point?: number };
    begun: boolean;
    crawford: boolean;
    thrown: [number, number] | null;
    ended: Reason | null;
    score: [number, number];
    over: boolean;
    winner: Seat | null;
  };
}

/** From, to, die, and the node it leads to; null for the bar, for off, and where the graph is cut. */
export type Edge = [number | null, number | null, number, number | null];

export interface Legal {
  commands: string[];
  plays: { whole: boolean; nodes: Edge[][] } | null;
}

export type Action =
  | { type: 'roll' | 'propose-double' | 'accept' | 'forfeit' | 'beaver' | 'undo' | 'commit' }
  | { type: 'move'; from: number; to: number; die: number }
  | { type: 'enter'; to: number; die: number }
  | { type: 'bear-off'; from: number; die: number }
  | { type: 'play'; moves: Step[] }
  | { type: 'offer-resign'; value: number }
  | { type: 'answer-resign'; accept: boolean };
export type Command = Action & { seat: number };

export type Sight =
  | { type: 'opened'; up: Seat }
  | { type: 'opening-rolled'; dice: [number, number] }
  | { type: 'automatic-double' }
  | { type: 'rolled'; seat: Seat; dice: [number, number] }
  | ({ type: 'moved'; seat: Seat; hit: boolean } & Step)
  | { type: 'undone' | 'committed' | 'passed'; seat: Seat }
  | { type: 'double-proposed' | 'accepted' | 'beavered' | 'resign-refused'; seat: Seat }
  | { type: 'resign-offered'; seat: Seat; value: number }
  | { type: 'finished'; winner: Seat | null; payout: number; reason: Reason }
  | { type: 'next-game'; game: number }
  | { type: 'match-forfeited'; seat: Seat }
  | { type: 'match-closed' };

export interface Backgammon extends GameTypes {
  View: View;
  Legal: Legal;
  Command: Command;
  Sight: Sight;
  Words: (typeof words)['en'];
}
