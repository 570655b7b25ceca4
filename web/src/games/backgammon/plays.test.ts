import { expect, test } from 'vitest';
import { updates } from './heard';
import { choices, commandOf, forced, isEnd, nodeAfter } from './plays';
import type { Legal } from './types';

type Plays = NonNullable<Legal['plays']>;
const opening = updates('anna').find(({ view, legal }) => legal.plays && view.dice.join() === '6,3')?.legal.plays as Plays;

test('a man may go by one die, or by both', () => {
  const from = choices(opening, 0);
  expect([...(from.get(0) ?? [])].map(([to]) => to).sort()).toEqual([3, 6, 9]);
  expect([...(from.get(16) ?? [])].map(([to]) => to)).toEqual([19, 22]);
  expect(from.has(5)).toBe(false);
});

test('the order of the dice decides the way, where both lead there', () => {
  const dice = (first: number) => choices(opening, 0, first).get(0)?.get(9)?.map(({ die }) => die);
  expect([dice(6), dice(3)]).toEqual([
    [6, 3],
    [3, 6],
  ]);
});

test('steps are followed to the end of the turn', () => {
  const first = { from: 0, to: 6, die: 6 };
  const node = nodeAfter(opening, [first]);
  expect(isEnd(opening, node)).toBe(false);
  expect(choices(opening, node).has(6)).toBe(true);
  expect(isEnd(opening, nodeAfter(opening, [first, { from: 6, to: 9, die: 3 }]))).toBe(true);
  expect(nodeAfter(opening, [{ from: 0, to: 5, die: 5 }])).toBe(null);
});

test('a turn is forced if it can end in one way only, whatever the order', () => {
  expect(forced(opening)).toBe(null);
  const bothOrders: Plays = {
    whole: true,
    nodes: [
      [
        [null, 3, 4, 1],
        [null, 5, 6, 2],
      ],
      [[3, 9, 6, 3]],
      [[5, 9, 4, 3]],
      [],
    ],
  };
  expect(forced(bothOrders)).toEqual([{ to: 3, die: 4 }, { from: 3, to: 9, die: 6 }]);
  expect(forced({ ...bothOrders, whole: false })).toBe(null);
  expect(forced({ whole: true, nodes: [[]] })).toBe(null);
});

test('a cut graph gives the next steps, and no more', () => {
  const cut: Plays = { whole: false, nodes: [[[0, 2, 2, null]]] };
  expect([...(choices(cut, 0).get(0)?.keys() ?? [])]).toEqual([2]);
  expect(choices(cut, nodeAfter(cut, [{ from: 0, to: 2, die: 2 }])).size).toBe(0);
});

test('a step is said by what it is', () => {
  expect(commandOf({ from: 3, to: 5, die: 2 })).toEqual({ type: 'move', from: 3, to: 5, die: 2 });
  expect(commandOf({ to: 5, die: 6 })).toEqual({ type: 'enter', to: 5, die: 6 });
  expect(commandOf({ from: 20, die: 4 })).toEqual({ type: 'bear-off', from: 20, die: 4 });
});
