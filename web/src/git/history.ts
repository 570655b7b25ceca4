/** What happened at a table, moment by moment. */
import { after, wayOf, type Position, type Seat } from '../games/backgammon/position';
import type { Throw, Trail } from '../games/backgammon/Position.svelte';
import { openingOf, positionOf, readMove, readState, seatOf, stepsOf, type Match, type Move, type State } from './docs';
import { lastMove } from './follow.svelte';
import { commits, file, folder, type Config } from './places';

/** A board as it was. */
export interface Still {
  position: Position;
  dice: Throw | null;
  trail: Trail | null;
}
export interface Moment {
  key: string;
  /** A move, what the referee wrote, or null: the opening. */
  what: Move | string | null;
  at: string | null;
  still(): Promise<Still>;
}

export const trailOf = (move: Move | null): Trail | null =>
  move && { seat: seatOf(move.player), ways: stepsOf(move).map(wayOf) };

export const thrown = (seat: Seat, faces: readonly number[], used = false): Throw => {
  const dice = faces.length === 2 && faces[0] === faces[1] ? [...faces, ...faces] : faces;
  return { seat, dice: dice.map((face) => ({ face, used })) };
};

export const stillOf = (state: State, last: Move | null): Still => ({
  position: positionOf(state),
  dice: thrown(seatOf(state.activePlayer), state.dice, state.winner !== null),
  trail: trailOf(last),
});

/** Every commit that changed the state, from the forge; the oldest first. */
async function fromCommits(config: Config & { github: string }, table: string): Promise<Moment[]> {
  const found = await commits(config, table);
  return found.reverse().map(({ sha, commit }) => ({
    key: sha,
    what: (commit.message.split('\n')[0] ?? '').replace(`${table}: `, ''),
    at: commit.committer.date,
    still: async () => {
      const at = folder(config, table, sha);
      const state = readState(await file(`${at}state.json`, 'force-cache'));
      return stillOf(state, await lastMove(at, state));
    },
  }));
}

/** Every move of the game in play, put on the board one after the other. */
async function fromMoves(config: Config, table: string, state: State, match: Match): Promise<Moment[]> {
  if (match.moves.length !== (state.lastMove?.sequence ?? 0)) return [];
  const read = (name: string) => file(`${folder(config, table)}moves/${name}`, 'force-cache').then(readMove);
  const moves = await Promise.all(match.moves.map(read));
  let position = openingOf(match);
  const opening: Still = { position, dice: null, trail: null };
  const start: Moment = { key: 'opening', what: null, at: null, still: () => Promise.resolve(opening) };
  const played = moves.map((move, i): Moment => {
    const seat = seatOf(move.player);
    for (const step of stepsOf(move)) position = after(position, seat, wayOf(step));
    const still = { position, dice: thrown(seat, move.diceRoll, true), trail: trailOf(move) };
    return { key: match.moves[i] ?? '', what: move, at: move.timestamp, still: () => Promise.resolve(still) };
  });
  return [start, ...played];
}

export async function history(config: Config, table: string, state: State, match: Match): Promise<Moment[]> {
  const { github } = config;
  if (github) {
    const told = await fromCommits({ ...config, github }, table).catch(() => []);
    if (told.length > 0) return told;
  }
  return fromMoves(config, table, state, match);
}
