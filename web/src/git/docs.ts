/** The files of a table in a repository, as docs/gitgammon.md has them. */
import type { Pair, Position, Seat, Step } from '../games/backgammon/position';
import type { Legal } from '../games/backgammon/types';

export type Color = 'white' | 'black';
export const COLORS: readonly Color[] = ['white', 'black'];
export type Each<T> = Record<Color, T>;

export interface Message {
  type: 'error' | 'info' | 'warning';
  text: string;
  timestamp: string;
}

export interface State {
  turn: number;
  activePlayer: Color;
  dice: number[];
  board: number[];
  bar: Each<number>;
  home: Each<number>;
  lastMove: { sequence: number; player: Color; file: string } | null;
  status: 'playing' | 'completed';
  winner: Color | null;
  players: Each<string>;
  messages: Message[];
  updatedAt: string;
}

export interface Match {
  layout: 'standard' | 'printed';
  length: number;
  game: number;
  score: Each<number>;
  games: { winner: Color; points: number; result: 'single' | 'gammon' | 'backgammon' }[];
  /** The files of the moves of the game in play. */
  moves: string[];
}

/** What may be played, and in which state. */
export interface Plays {
  expectedState: string;
  plays: Legal['plays'];
}

export interface Move {
  player: Color;
  moves: { from: number; to: number; die: number }[];
  timestamp: string;
  expectedState: string;
  diceRoll: number[];
  comment: string | null;
  commitSha: string | null;
}

/** A file that is not what it should be. Anyone can push one, until the referee puts it back. */
export class Unreadable extends Error {}

type Check = (value: unknown) => boolean;
const number: Check = (value) => Number.isInteger(value);
const text: Check = (value) => typeof value === 'string';
const color: Check = (value) => value === 'white' || value === 'black';
const or =
  (other: unknown, check: Check): Check =>
  (value) =>
    value === other || check(value);
const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const object =
  (fields: Record<string, Check>): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(fields).every(([key, check]) => check((value as Record<string, unknown>)[key]));
const each = (check: Check) => object({ white: check, black: check });

const STATE = object({
  turn: number,
  activePlayer: color,
  dice: list(number),
  board: (value) => list(number)(value) && (value as unknown[]).length === 24,
  bar: each(number),
  home: each(number),
  lastMove: or(null, object({ sequence: number, player: color, file: text })),
  winner: or(null, color),
  players: each(text),
  messages: list(object({ type: text, text, timestamp: text })),
  updatedAt: text,
});
const MATCH = object({
  layout: text,
  length: number,
  game: number,
  score: each(number),
  games: list(object({ winner: color, points: number, result: text })),
  moves: list(text),
});
const PLAYS = object({
  expectedState: text,
  plays: or(null, object({ nodes: list(list((edge) => Array.isArray(edge) && edge.length === 4)) })),
});
const MOVE = object({
  player: color,
  moves: list(object({ from: number, to: number, die: number })),
  timestamp: text,
  diceRoll: list(number),
});

function reader<T>(check: Check): (text: string) => T {
  return (text) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new Unreadable();
    }
    if (!check(value)) throw new Unreadable();
    return value as T;
  };
}
export const readState = reader<State>(STATE);
export const readMatch = reader<Match>(MATCH);
export const readPlays = reader<Plays>(PLAYS);
export const readMove = reader<Move>(MOVE);

/** White moves from 23 down, as seat 1 does. */
export const seatOf = (color: Color): Seat => (color === 'white' ? 1 : 0);
const pair = ({ white, black }: Each<number>): Pair => [black, white];

export const positionOf = ({ board, bar, home }: Pick<State, 'board' | 'bar' | 'home'>): Position => ({
  points: board.map((men): Pair => [Math.max(0, -men), Math.max(0, men)]),
  bar: pair(bar),
  off: pair(home),
});

const OPENING = [-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2];
const NONE = { white: 0, black: 0 };
/** Where the games of a table open from. */
export const openingOf = ({ layout }: Match): Position =>
  positionOf({ board: OPENING.map((men) => (layout === 'printed' ? -men : men)), bar: NONE, home: NONE });

const [BAR, OFF] = [-1, 24];
export const stepsOf = ({ moves }: Move): Step[] =>
  moves.map(({ from, to, die }) => ({ ...(from !== BAR && { from }), ...(to !== OFF && { to }), die }));
export const written = ({ from = BAR, to = OFF, die }: Step) => ({ from, to, die });
