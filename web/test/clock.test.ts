import { expect, test } from 'vitest';
import { clockText, timeLeft } from '../src/ui/Clock.svelte';

test('tenths are shown in the last ten seconds only', () => {
  expect([600_000, 59_001, 10_000, 9_999, 340, -5].map(clockText)).toEqual(['10:00', '1:00', '0:10', '9.9', '0.3', '0.0']);
});

test('neither part of a clock jumps when a move begins, goes on or ends', () => {
  const rests = { seat: 0, reserve_ms: 300_000, until_ms: null };
  const runs = { seat: 0, reserve_ms: 300_000, until_ms: 360_000 };
  expect(timeLeft(rests, 0)).toEqual({ move: 0, reserve: 300_000 });
  expect(timeLeft(runs, 0)).toEqual({ move: 60_000, reserve: 300_000 });
  expect(timeLeft(runs, 60_000)).toEqual({ move: 0, reserve: 300_000 });
  expect(timeLeft(runs, 61_000)).toEqual({ move: 0, reserve: 299_000 });
  expect(timeLeft(runs, 400_000)).toEqual({ move: 0, reserve: 0 });
});
