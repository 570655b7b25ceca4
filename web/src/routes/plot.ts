import type { Counted, Played } from '$wire';

/** The ratings of one set of rules over time, the oldest first. */
export interface Course {
  game: string;
  set: string;
  points: { at_ms: number; rating: number }[];
}

/** The courses of all ratings in a history, which has the newest first. */
export function courses(history: (Played | Counted)[]): Course[] {
  const all = new Map<string, Course>();
  for (const { game, at_ms, rating } of history.toReversed()) {
    if (!rating) continue;
    const { set, before, after } = rating;
    const key = `${game}/${set}`;
    const course = all.get(key) ?? { game, set, points: [{ at_ms, rating: before }] };
    course.points.push({ at_ms, rating: after });
    all.set(key, course);
  }
  return [...all.values()];
}

export interface Scale {
  low: number;
  high: number;
  /** The ratings at which there is a line. */
  lines: number[];
}

const STEPS = [10, 20, 50, 100, 200, 500, 1000];

/** Round numbers around what is to be seen, with three to six lines. */
export function scaleOf(ratings: number[]): Scale {
  const [least, most] = [Math.min(...ratings), Math.max(...ratings)];
  const step = STEPS.find((step) => (most - least) / step <= 4) ?? 2000;
  const low = Math.floor(least / step) * step;
  const high = Math.max(Math.ceil(most / step) * step, low + step);
  const lines = Array.from({ length: Math.round((high - low) / step) + 1 }, (_, i) => low + i * step);
  return { low, high, lines };
}
