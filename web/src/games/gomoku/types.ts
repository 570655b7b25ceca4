import type { GameTypes } from '../contract';
import type { words } from './words';

export type Stone = 'X' | 'O';
export type Choice = 'black' | 'white' | 'place_more';
/** Which rows win. */
export const RULES = ['caro', 'caro_overline', 'freestyle', 'standard', 'renju'] as const;
export type Rule = (typeof RULES)[number];
export interface Point {
  x: number;
  y: number;
}

export type Phase =
  | 'swap2_placement'
  | 'swap2_choice'
  | 'swap2_extra'
  | 'swap2_final_choice'
  | 'complete';

export interface Swap2State {
  phase: Phase;
  player1Id: string;
  player2Id: string;
  activePlayerId: string;
  tentativeStones: (Point & { placedBy: string; placementOrder: number })[];
  blackPlayerId?: string;
  whitePlayerId?: string;
}

export interface Offer {
  seat: number;
  type: 'draw' | 'takeback';
}

/** The document of docs/gomoku.md, as far as the page looks at it. */
export interface View {
  board: (Stone | null)[][];
  moves: Point[];
  currentTurn: Stone;
  swap2State?: Swap2State;
  up: number | null;
  black: number | null;
  offer: Offer | null;
  winner?: number | null;
  reason?: 'row' | 'full' | 'agreed' | 'resigned' | 'timeout' | 'left' | 'closed';
  line?: Point[];
  forbidden?: Point[];
  match: {
    config: { rule: Rule; match: number; players: [string, string] };
    begun: boolean;
    score: [number, number];
    history: unknown[];
    over: boolean;
    winner: number | null;
  };
}

export interface Legal {
  commands: Command['type'][];
  rows: number[] | null;
  choices: Choice[];
}

export type Command =
  | { type: 'place_stone' | 'move'; x: number; y: number }
  | { type: 'make_choice'; choice: Choice }
  | { type: 'resign' | 'offer_draw' | 'offer_takeback' }
  | { type: 'answer_draw' | 'answer_takeback'; accept: boolean };

export type Sight =
  | { type: 'begun'; opener: number }
  | { type: 'stone_placed'; seat: number; x: number; y: number; auto: boolean }
  | { type: 'moved'; seat: number; x: number; y: number }
  | { type: 'choice_made'; seat: number; choice: Choice; auto: boolean }
  | { type: 'offered' | 'declined'; seat: number; offer: Offer['type'] }
  | { type: 'taken_back'; seat: number; stones: number }
  | { type: 'finished'; winner: number | null; reason: NonNullable<View['reason']>; line: Point[] }
  | { type: 'next-game'; game: number }
  | { type: 'match-forfeited'; seat: number }
  | { type: 'match-closed' };

export interface Gomoku extends GameTypes {
  View: View;
  Legal: Legal;
  Command: Command;
  Sight: Sight;
  Words: (typeof words)['en'];
}

/** A point as people write it: letters from the left, numbers from below. */
export function pointName({ x, y }: Point, size: number): string {
  return `${String.fromCharCode(97 + x)}${size - y}`;
}

export const same = (a: Point | null | undefined, b: Point): boolean => a?.x === b.x && a.y === b.y;

/** Whether a stone may be laid there, by what is legal. */
export const mayLay = (rows: number[] | null | undefined, { x, y }: Point): boolean =>
  (((rows?.[y] ?? 0) >> x) & 1) === 1;
