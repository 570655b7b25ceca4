/** Walks along the graph of plays that the server gives. What is not in it cannot be played. */
import type { Die } from './Dice.svelte';
import type { Open } from './Position.svelte';
import { wayOf, type Place, type Seat, type Step } from './position';
import type { Action, Edge, Legal } from './types';

/** Where a man may go from each place, with the steps that bring it there. */
export type Choices = ReadonlyMap<Place, ReadonlyMap<Place, readonly Step[]>>;
type Plays = NonNullable<Legal['plays']>;

const stepOf = ([from, to, die]: Edge): Step => ({
  ...(from !== null && { from }),
  ...(to !== null && { to }),
  die,
});

const isStep = (edge: Edge, step: Step): boolean =>
  edge[0] === (step.from ?? null) && edge[1] === (step.to ?? null) && edge[2] === step.die;

const edgesAt = (plays: Plays, node: number | null): Edge[] =>
  node === null ? [] : (plays.nodes[node] ?? []);

/** The node that steps lead to; null where it is not told. */
export function nodeAfter(plays: Plays, steps: readonly Step[]): number | null {
  let node: number | null = 0;
  for (const step of steps) node = edgesAt(plays, node).find((edge) => isStep(edge, step))?.[3] ?? null;
  return node;
}

/** Whether a turn that stands at a node is done. */
export const isEnd = (plays: Plays, node: number | null): boolean =>
  node !== null && plays.nodes[node]?.length === 0;

/** All that one man may do from a node, the die `first` before others where both ways lead there. */
export function choices(plays: Plays, node: number | null, first?: number): Choices {
  const all = new Map<Place, Map<Place, Step[]>>();
  const follow = (origin: Place, edge: Edge, walked: Step[]) => {
    const step = stepOf(edge);
    const { to } = wayOf(step);
    const ways = all.get(origin) ?? new Map<Place, Step[]>();
    const steps = [...walked, step];
    if (!ways.has(to)) all.set(origin, ways.set(to, steps));
    const next = edgesAt(plays, edge[3]).filter(([from]) => from !== null && from === edge[1]);
    for (const further of next) follow(origin, further, steps);
  };
  const edges = edgesAt(plays, node);
  const sorted = [...edges].sort((a, b) => Number(b[2] === first) - Number(a[2] === first));
  for (const edge of sorted) follow(wayOf(stepOf(edge)).from, edge, []);
  return all;
}

/** The same, as a board lights it up. */
export const openTo = (seat: Seat, ways: Choices): Open => ({
  seat,
  sources: [...ways.keys()],
  targets: (from) => [...(ways.get(from)?.keys() ?? [])],
});

/** The dice that steps leave. */
export function unplayed(dice: readonly number[], steps: readonly Step[]): number[] {
  const left = [...dice];
  for (const { die } of steps) left.splice(left.indexOf(die), 1);
  return left;
}

/** Dice as they are drawn: those that are not left are used. */
export function drawn(faces: readonly number[], left: readonly number[]): Die[] {
  const rest = [...left];
  return faces.map((face) => {
    const at = rest.indexOf(face);
    if (at >= 0) rest.splice(at, 1);
    return { face, used: at < 0 };
  });
}

/** The whole turn if there is only one way it can end; null if there is a choice. */
export function forced(plays: Plays): Step[] | null {
  if (!plays.whole || edgesAt(plays, 0).length === 0) return null;
  const ends = plays.nodes.filter((edges) => edges.length === 0).length;
  if (ends !== 1) return null;
  const steps: Step[] = [];
  for (let node: number | null = 0; node !== null && !isEnd(plays, node); ) {
    const [edge]: Edge[] = edgesAt(plays, node);
    if (!edge) break;
    steps.push(stepOf(edge));
    node = edge[3];
  }
  return steps;
}

/** The command that says a step. */
export function commandOf({ from, to, die }: Step): Action {
  if (from === undefined) return { type: 'enter', to: to ?? 0, die };
  return to === undefined ? { type: 'bear-off', from, die } : { type: 'move', from, to, die };
}
