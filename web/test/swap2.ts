/**
 * Openings by Swap 2 as a server shows them, for tests of what the page makes of them. That they
 * are as the server shows them is held against its own sessions in `opening.test.ts`.
 */
import fc from 'fast-check';
import type { Choice, Command, Legal, Phase, Point, Sight, Stone, View } from '../src/games/gomoku/types';

export interface Setup {
  players: [string, string];
  opener: number;
  first: Stone;
  size: number;
}

type Colour = 'black' | 'white';
const COLOURS = ['black', 'white'] as const;
const OPTIONS: Partial<Record<Phase, Choice[]>> = {
  swap2_choice: ['black', 'white', 'place_more'],
  swap2_final_choice: ['black', 'white'],
};

/** One moment of an opening: what everybody sees, and what each of the two may say. */
export interface Frame {
  view: View;
  sights: Sight[];
}

export function newGame({ players, opener, first, size }: Setup, swap2 = true): View {
  const [player1Id, player2Id] = [players[opener] ?? '', players[1 - opener] ?? ''];
  return {
    board: Array.from({ length: size }, () => Array<null>(size).fill(null)),
    moves: [],
    currentTurn: swap2 ? first : 'X',
    ...(swap2 && {
      swap2State: { phase: 'swap2_placement', player1Id, player2Id, activePlayerId: player1Id, tentativeStones: [] },
    }),
    up: opener,
    black: swap2 ? null : opener,
    offer: null,
    match: {
      config: { rule: 'caro', match: 0, players },
      begun: true,
      score: [0, 0],
      history: [],
      over: false,
      winner: null,
    },
  };
}

/** What somebody may say. */
export function legalOf(view: View, seat: number): Legal {
  const phase = view.swap2State?.phase ?? 'complete';
  if (view.up !== seat) return { commands: ['resign'], rows: null, choices: [] };
  const options = OPTIONS[phase];
  if (options) return { commands: ['make_choice', 'resign'], rows: null, choices: options };
  const rows = view.board.map((row) => row.reduce((bits, stone, x) => (stone ? bits : bits | (1 << x)), 0));
  const type = phase === 'complete' ? 'move' : 'place_stone';
  return { commands: [type, 'resign'], rows, choices: [] };
}

/** The number of the question somebody is asked. */
export const askOf = (view: View, seat: number): number | null => (view.up === seat ? 1 : null);

/** What comes of a command of the opening that is legal. */
export function after(before: View, command: Command): Frame {
  const view = structuredClone(before);
  const state = view.swap2State;
  const seat = view.up;
  if (!state || seat === null) throw new Error('nobody opens');
  const { players } = view.match.config;
  const activate = (phase: Phase, id: string) => {
    state.phase = phase;
    state.activePlayerId = id;
    view.up = players.indexOf(id);
  };
  if (command.type === 'place_stone') {
    const { x, y } = command;
    const order = state.tentativeStones.length + 1;
    (view.board[y] as (Stone | null)[])[x] = order % 2 === 1 ? 'X' : 'O';
    state.tentativeStones.push({ x, y, placedBy: players[seat] ?? '', placementOrder: order });
    if (order === 3) activate('swap2_choice', state.player2Id);
    if (order === 5) activate('swap2_final_choice', state.player1Id);
    return { view, sights: [{ type: 'stone_placed', seat, x, y, auto: false }] };
  }
  if (command.type !== 'make_choice') throw new Error(command.type);
  const { choice } = command;
  if (choice === 'place_more') activate('swap2_extra', state.player2Id);
  else {
    view.black = choice === 'black' ? seat : 1 - seat;
    state.blackPlayerId = players[view.black] ?? '';
    state.whitePlayerId = players[1 - view.black] ?? '';
    activate('complete', view.currentTurn === 'X' ? state.blackPlayerId : state.whitePlayerId);
  }
  return { view, sights: [{ type: 'choice_made', seat, choice, auto: false }] };
}

/** A whole opening: all its moments, from the empty board on, and what was said between them. */
export interface Opening {
  setup: Setup;
  frames: Frame[];
  said: Command[];
  /** The last choice, and the chair of who made it. */
  chosen: { seat: number; colour: Colour };
}

export function played(setup: Setup, points: Point[], choice: Choice, last: Colour): Opening {
  const stones = points.map((point): Command => ({ type: 'place_stone', ...point }));
  const chooses = (choice: Choice): Command => ({ type: 'make_choice', choice });
  const more = choice === 'place_more';
  const said = [
    ...stones.slice(0, 3),
    chooses(choice),
    ...(more ? [...stones.slice(3, 5), chooses(last)] : []),
  ];
  const frames: Frame[] = [{ view: newGame(setup), sights: [] }];
  for (const command of said) frames.push(after((frames.at(-1) as Frame).view, command));
  const chosen = more
    ? { seat: setup.opener, colour: last }
    : { seat: 1 - setup.opener, colour: choice };
  return { setup, frames, said, chosen };
}

export const setups: fc.Arbitrary<Setup> = fc.record({
  players: fc
    .uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 2, maxLength: 2 })
    .map(([a, b]): [string, string] => [a ?? '', b ?? '']),
  opener: fc.constantFrom(0, 1),
  first: fc.constantFrom<Stone>('X', 'O'),
  size: fc.constantFrom(15, 19, 20),
});

export const pointOf = (size: number): fc.Arbitrary<Point> =>
  fc.record({ x: fc.nat(size - 1), y: fc.nat(size - 1) });

export const openings: fc.Arbitrary<Opening> = setups.chain((setup) =>
  fc
    .tuple(
      fc.uniqueArray(pointOf(setup.size), { minLength: 5, maxLength: 5, selector: ({ x, y }) => `${x} ${y}` }),
      fc.constantFrom<Choice>('black', 'white', 'place_more'),
      fc.constantFrom(...COLOURS),
    )
    .map(([points, choice, last]) => played(setup, points, choice, last)),
);

/** Any moment of any opening, with all that came before. */
export const moments: fc.Arbitrary<{ opening: Opening; frame: Frame; at: number }> = openings.chain((opening) =>
  fc.nat(opening.frames.length - 1).map((at) => ({ opening, frame: opening.frames[at] as Frame, at })),
);
