/** The file of a move: its content, its name, and the state it is made for. */
import type { Step } from '../games/backgammon/position';
import { COLORS, written, type Each, type Move, type State } from './docs';

/** Browsers hash only on pages that came safely: by https, or from this machine. */
export const canHash = (): boolean => globalThis.crypto?.subtle !== undefined;

async function hash(value: unknown, digits: number): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...sum].map((byte) => byte.toString(16).padStart(2, '0')).join('').slice(0, digits);
}

/** Fields in the order in which they are hashed. */
const ordered = <T>(each: Each<T>) => Object.fromEntries(COLORS.map((color) => [color, each[color]]));

/** What a move is made for: all of a state that matters to the rules. */
export function fingerprint({ board, bar, home, dice, activePlayer, turn, players, lastMove }: State): Promise<string> {
  const last = lastMove && { sequence: lastMove.sequence, player: lastMove.player, file: lastMove.file };
  const all = {
    board,
    bar: ordered(bar),
    home: ordered(home),
    dice: dice.toSorted((a, b) => a - b),
    activePlayer,
    turn,
    players: ordered(players),
    lastMove: last,
  };
  return hash(all, 16);
}

export interface MoveFile {
  name: string;
  text: string;
}

/** The file of a turn that is made for this state; `at` is the time in milliseconds. */
export async function moveFile(state: State, steps: readonly Step[], at: number, comment: string | null): Promise<MoveFile> {
  const move: Move = {
    player: state.activePlayer,
    moves: steps.map(written),
    timestamp: `${new Date(at).toISOString().slice(0, 19)}Z`,
    expectedState: await fingerprint(state),
    diceRoll: state.dice,
    comment,
    commitSha: null,
  };
  const { player, moves, timestamp, expectedState, diceRoll } = move;
  const digits = await hash({ player, moves, timestamp, expectedState, diceRoll }, 6);
  const number = String((state.lastMove?.sequence ?? 0) + 1).padStart(4, '0');
  return { name: `${number}-${player}-${digits}.json`, text: `${JSON.stringify(move, null, 2)}\n` };
}
