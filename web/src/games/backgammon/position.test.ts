import { expect, test } from 'vitest';
import { worded, type Params } from '../../i18n/words';
import { updates } from './heard';
import { arrange } from './men';
import { after, notation, pips, same, wayOf, type Position } from './position';
import { describe, result } from './telling';
import { words } from './words';

const heard = updates('anna');
const first = heard[0]?.view as Position;
const t = (key: keyof typeof words.en, params?: Params) => worded(words.en[key], 'en', params);
const names = ['You', 'Boris'];

test('the opening has 167 pips a side', () => {
  expect([pips(first, 0), pips(first, 1)]).toEqual([167, 167]);
});

test('the steps that were told lead from each position to the next', () => {
  let before: Position = first;
  let steps = 0;
  for (const { view, sights } of heard) {
    const undone = sights.some(({ type }) => type === 'undone');
    const moved = sights.filter((sight) => sight.type === 'moved');
    const now = moved.reduce((position, step) => after(position, step.seat, wayOf(step)), before);
    if (!undone) expect(same(now, view)).toBe(true);
    steps += moved.length;
    before = view;
  }
  expect(steps).toBeGreaterThan(5);
});

test('who moves keeps its name, and a man that is hit goes to the bar', () => {
  const men = arrange([], first);
  expect(men).toHaveLength(30);
  const blot = after(first, 1, { from: 5, to: 3 });
  const before = arrange(men, blot);
  const hit = arrange(before, after(blot, 0, { from: 0, to: 3 }));
  const changed = hit.filter((man) => before.find(({ id }) => id === man.id)?.place !== man.place);
  expect(changed.map(({ seat, place }) => [seat, place])).toEqual([
    [0, 3],
    [1, 'bar'],
  ]);
  expect(new Set(hit.map(({ id }) => id)).size).toBe(30);
});

test('steps are written as each player counts', () => {
  const steps = [{ from: 18, to: 20, die: 2 }, { from: 18, to: 20, die: 2 }, { to: 3, die: 4, hit: true }, { from: 20, die: 4 }];
  expect(notation(steps, 0, 'bar', 'off')).toBe('6/4(2), bar/21*, 4/off');
  expect(notation([{ from: 5, to: 2, die: 3 }], 1, 'bar', 'off')).toBe('6/3');
});

test('the session is told in sentences', () => {
  const lines = heard.flatMap(({ sights, view }) => describe(sights, { view, before: null, seat: 0, names, t }));
  expect(lines.slice(0, 5)).toEqual([
    'You: 1, Boris: 1. Equal, so again.',
    'You: 6, Boris: 3. First to move: You.',
    'You: 24/18.',
    'You took a step back.',
    'You: 24/18, 13/10.',
  ]);
  expect(lines).toContain('You offered to double: 2 chips.');
  expect(lines.at(-1)).toBe('By resignation. Boris won a single game: 2 chips.');
  const view = heard.at(-1)?.view;
  expect(view && result(view, { view, before: null, seat: 0, names, t })?.winner).toBe(1);
});

test('dice and steps of one update are one sentence', () => {
  const view = heard[1]?.view;
  if (!view) throw new Error('no update');
  const sights = [
    { type: 'rolled' as const, seat: 1 as const, dice: [5, 3] as [number, number] },
    { type: 'moved' as const, seat: 1 as const, from: 7, to: 2, die: 5, hit: false },
    { type: 'moved' as const, seat: 1 as const, from: 5, to: 2, die: 3, hit: false },
    { type: 'committed' as const, seat: 1 as const },
  ];
  expect(describe(sights, { view, before: null, seat: 0, names, t })).toEqual(['Boris rolled 5 and 3: 8/3, 6/3.']);
});
