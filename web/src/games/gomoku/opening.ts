/** What the page shows and says of an opening by Swap 2. The rules of it are the server's. */
import { mayLay, type Choice, type Command, type Legal, type Phase, type Point, type Stone, type View } from './types';

export interface Step {
  phase: Exclude<Phase, 'complete'>;
  /** The chair that is to act. */
  seat: number;
  /** How many stones lie, of how many there will be before the next choice. */
  laid: number;
  of: 3 | 5;
}

export interface Assignment {
  black: number;
  white: number;
  /** The chair that makes the first move. */
  first: number;
}

export type Marked = Point & { order: number; newest: boolean };

const seatOf = (view: View, id: string): number => view.match.config.players.indexOf(id);

/** Where the opening stands; null if there is none, or it is complete. */
export function step(view: View): Step | null {
  const state = view.swap2State;
  if (!state || state.phase === 'complete' || view.reason) return null;
  const { phase, tentativeStones } = state;
  return {
    phase,
    seat: seatOf(view, state.activePlayerId),
    laid: tentativeStones.length,
    of: phase === 'swap2_placement' || phase === 'swap2_choice' ? 3 : 5,
  };
}

/** The stones of the opening with their numbers, until the first move is made. */
export function marked(view: View): Marked[] {
  const stones = view.moves.length === 0 ? (view.swap2State?.tentativeStones ?? []) : [];
  return stones.map(({ x, y, placementOrder: order }) => ({ x, y, order, newest: order === stones.length }));
}

/** Who has which colour, once an opening is complete. */
export function assignment(view: View): Assignment | null {
  const { phase, blackPlayerId, whitePlayerId, activePlayerId } = view.swap2State ?? {};
  if (phase !== 'complete' || !blackPlayerId || !whitePlayerId || !activePlayerId) return null;
  const [black, white, first] = [blackPlayerId, whitePlayerId, activePlayerId].map((id) => seatOf(view, id)) as [
    number,
    number,
    number,
  ];
  return { black, white, first };
}

/** The colour of the next stone. */
export function nextStone(view: View): Stone {
  const now = step(view);
  if (!now) return view.currentTurn;
  return now.laid % 2 === 0 ? 'X' : 'O';
}

/** What a touch on a point says; null if nothing is to be laid there. */
export function laying(legal: Legal | null, ask: number | null, { x, y }: Point): Command | null {
  if (ask === null || !legal || !mayLay(legal.rows, { x, y })) return null;
  const type = (['place_stone', 'move'] as const).find((type) => legal.commands.includes(type));
  return type ? { type, x, y } : null;
}

/** The choices one is asked to make. */
export function choices(legal: Legal | null, ask: number | null): Choice[] {
  return ask !== null && legal?.commands.includes('make_choice') ? legal.choices : [];
}
