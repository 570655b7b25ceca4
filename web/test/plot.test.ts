import type { Played } from '$wire';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { courses, scaleOf } from '../src/routes/plot';

const game = (table: string, at_ms: number, set: string | null, before = 0, after = 0): Played => ({
  table,
  game: 'gomoku',
  at_ms,
  seat: 0,
  names: ['Anna', 'Boris'],
  result: 'won',
  rating: set ? { set, before, after } : null,
});

test('every set has a course of its own, from before its first game to its last', () => {
  const history = [
    game('t-4', 4, 'caro', 1600, 1550),
    game('t-3', 3, 'renju', 1500, 1400),
    game('t-2', 2, null),
    game('t-1', 1, 'caro', 1500, 1600),
  ];
  const ratings = courses(history).map(({ set, points }) => [set, ...points.map(({ rating }) => rating)]);
  expect(ratings).toEqual([
    ['caro', 1500, 1600, 1550],
    ['renju', 1500, 1400],
  ]);
  expect(courses([])).toEqual([]);
});

test('a scale holds all ratings between two to six round lines', () => {
  const ratings = fc.array(fc.double({ min: 0, max: 4000, noNaN: true }), { minLength: 1 });
  fc.assert(
    fc.property(ratings, (ratings) => {
      const { low, high, lines } = scaleOf(ratings);
      expect(low).toBeLessThanOrEqual(Math.min(...ratings));
      expect(high).toBeGreaterThanOrEqual(Math.max(...ratings));
      expect(lines.length).toBeGreaterThanOrEqual(2);
      expect(lines.length).toBeLessThanOrEqual(6);
      expect([lines[0], lines.at(-1)]).toEqual([low, high]);
      expect(lines.every((line) => line % 10 === 0)).toBe(true);
    }),
  );
});
