/** Men on a board, and how they are called. Seat 0 moves from point 0 to 23, seat 1 from 23 to 0. */
export type Seat = 0 | 1;
/** A point from 0 to 23, or where men wait or are done. */
export type Place = number | 'bar' | 'off';
export type Pair = [number, number];

export interface Position {
  /** 24 pairs, seat 0 first. */
  points: Pair[];
  bar: Pair;
  off: Pair;
}

/** A man moved by a die: from the bar without `from`, off the board without `to`. */
export interface Step {
  from?: number;
  to?: number;
  die: number;
  hit?: boolean;
}

/** A step as it is drawn. */
export interface Way {
  from: Place;
  to: Place;
}

export const other = (seat: Seat): Seat => (seat === 0 ? 1 : 0);
export const seatOf = (seat: number): Seat => (seat === 1 ? 1 : 0);
export const wayOf = ({ from, to }: Step): Way => ({ from: from ?? 'bar', to: to ?? 'off' });

/** The places of the board, those of one seat's men first and last. */
export const POINTS = Array.from({ length: 24 }, (_, point) => point);
export const PLACES: readonly Place[] = ['bar', ...POINTS, 'off'];

/** How a seat calls a point: 24 is the farthest from home. */
export const numberOf = (point: number, seat: Seat): number => (seat === 0 ? 24 - point : point + 1);

export function men(position: Position, place: Place, seat: Seat): number {
  const pair = typeof place === 'number' ? position.points[place] : position[place];
  return pair?.[seat] ?? 0;
}

/** How far a seat's men have to go in all. */
export function pips(position: Position, seat: Seat): number {
  const onPoints = POINTS.map((point) => men(position, point, seat) * numberOf(point, seat));
  return onPoints.reduce((sum, n) => sum + n, 25 * position.bar[seat]);
}

/** The position after a step; a single man of the other goes to the bar. */
export function after(position: Position, seat: Seat, { from, to }: Way): Position {
  const points = position.points.map(([a, b]): Pair => [a, b]);
  const next = { points, bar: [...position.bar] as Pair, off: [...position.off] as Pair };
  const pair = (place: Place): Pair | undefined =>
    typeof place === 'number' ? next.points[place] : next[place];
  const [left, reached] = [pair(from), pair(to)];
  if (left) left[seat] -= 1;
  if (reached && typeof to === 'number' && reached[other(seat)] === 1) {
    reached[other(seat)] = 0;
    next.bar[other(seat)] += 1;
  }
  if (reached) reached[seat] += 1;
  return next;
}

export function same(a: Position, b: Position): boolean {
  return [0, 1].every((seat) => PLACES.every((place) => men(a, place, seat as Seat) === men(b, place, seat as Seat)));
}

/** Steps as people write them, such as `8/5 6/5*`; equal ones once, with their number. */
export function notation(steps: readonly Step[], seat: Seat, bar: string, off: string): string {
  const name = (point: number | undefined, none: string) =>
    point === undefined ? none : String(numberOf(point, seat));
  const counts = new Map<string, number>();
  for (const { from, to, hit } of steps) {
    const text = `${name(from, bar)}/${name(to, off)}${hit ? '*' : ''}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, n]) => (n > 1 ? `${text}(${n})` : text)).join(', ');
}
