import type { GameTypes } from '../contract';
import type { words } from './words';

export type Stone = 'X' | 'O';
export type Choice = 'black' | 'white' | 'place_more';
export interface Point {
  x: number;
  y: number;
}

/** The document of docs/gomoku.md, as far as the page looks at it. */
export interface View {
  board: (Stone | null)[][];
  moves: Point[];
  gamePhase: string;
  up: number | null;
  black: number | null;
  winner?: number | null;
  reason?: 'row' | 'full' | 'agreed' | 'resigned' | 'timeout' | 'left' | 'closed';
  line?: Point[];
  forbidden?: Point[];
  match: { begun: boolean; score: [number, number]; over: boolean; winner: number | null };
}

export interface Legal {
  commands: string[];
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
  | { type: 'stone_placed' | 'moved'; seat: number; x: number; y: number }
  | { type: 'choice_made'; seat: number; choice: Choice }
  | { type: 'offered' | 'declined'; seat: number; offer: 'draw' | 'takeback' }
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
