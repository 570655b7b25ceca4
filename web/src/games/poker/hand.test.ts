// @vitest-environment happy-dom
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { translator } from '../../i18n';
import { game } from '.';
import { updates } from './frames';
import { awards, Betting, raiseBy, readAct, standing } from './hand';
import { labelText } from './label';
import { places } from './places';
import type { Intent, Player, View } from './types';
import { words } from './words';

const t = translator(words);

describe('what a hand history says', () => {
  test.each([
    ['d dh p2 AsKd', { does: 'hole', player: 1, cards: 'AsKd' }],
    ['d db 2d7cJh', { does: 'board', cards: '2d7cJh' }],
    ['p10 cbr 6.5', { does: 'raise', player: 9, to: 6.5 }],
    ['p1 cc', { does: 'call', player: 0 }],
    ['p3 f # tired', { does: 'fold', player: 2 }],
    ['p1 sm AsKd', { does: 'show', player: 0, cards: 'AsKd' }],
    ['p1 sm -', { does: 'show', player: 0, cards: '' }],
    ['p2 sd', { does: 'discard', player: 1, cards: '' }],
    ['p2 pb', { does: 'bring_in', player: 1 }],
  ])('%s', (line, act) => expect(readAct(line)).toEqual(act));

  test('nothing that is no act', () => expect(readAct('p1 dances')).toBeNull());
});

describe('a whole session, told', () => {
  const all = updates('anna');
  const told: string[] = [];
  const won: ReturnType<typeof awards>[] = [];
  let before: View | null = null;
  for (const { sights, view } of all) {
    told.push(...game.describe(sights, { view, before, seat: 0, names: ['You', 'Boris'], t }));
    won.push(awards(sights, before, view));
    before = view;
  }

  test('as sentences with amounts', () => {
    expect(told.slice(0, 12)).toEqual([
      'Boris: sits down with 100',
      "Hand 1: No-limit hold'em",
      'You: posts 1',
      'Boris: posts 2',
      'You are dealt 9♥ 4♣',
      'You: calls 1',
      'Boris: checks',
      'Board: 2♦ 3♠ Q♣',
      'Boris: raises to 4',
      'You: folds',
      'Boris: wins 4',
      'You: adds 50',
    ]);
    expect(told.slice(-5)).toEqual([
      'Boris: checks',
      'You: shows 7♣ 8♦ · Pair of sevens',
      'Boris: does not show',
      'You: wins 4',
      'You: leave',
    ]);
  });

  test('what nobody matched is not won', () => {
    expect(won.filter((award) => award !== null)).toEqual([[{ seat: 1, chips: 4 }], [{ seat: 0, chips: 4 }]]);
  });
});

test('an all-in, and side pots, are followed from the deal on', () => {
  const column = { ante: 0, dead: 0, blind: 0 };
  const betting = new Betting(null);
  betting.begin([
    { ...column, seat: 4, stack: 30, blind: 1 },
    { ...column, seat: 0, stack: 100, blind: 2, dead: 3 },
  ]);
  const does = (line: string) => betting.act(readAct(line)!, 1);
  does('d dh p1 ????');
  expect(does('p1 cbr 30')).toEqual({ check: false, paid: 29, allIn: true });
  expect(does('p2 cc')).toEqual({ check: false, paid: 28, allIn: false });
  does('d db 2d3sQc');
  expect(betting.seat(0)).toBe(4);
  expect(betting.won([63, 67])).toEqual([{ seat: 4, chips: 63 }]);
});

describe('the states of the matrix', () => {
  const player = (inactive: boolean, intent: Intent, debt: number) =>
    standing({ inactive, intent, debt } as Player);
  test.each([
    [false, 0, 0, 'plays'],
    [false, 1, 0, 'asks_bb'],
    [false, 2, 0, 'asks_pause'],
    [false, 3, 0, 'asks_leave'],
    [true, 0, 0, 'joins'],
    [true, 0, 3, 'returns'],
    [true, 1, 1.5, 'waits'],
    [true, 2, 3, 'pauses'],
    [true, 3, 3, 'leaves'],
  ] as const)('inactive %s, intent %s, debt %s: %s', (inactive, intent, debt, is) =>
    expect(player(inactive, intent, debt)).toBe(is),
  );
});

test('a raise by a part of the pot stays within what is allowed', () => {
  const around = { pot: 30, bet: 0, call: 10, least: 20, most: 100, step: 1 };
  expect([1 / 2, 2 / 3, 1].map((part) => raiseBy(part, around))).toEqual([30, 37, 50]);
  expect(raiseBy(1, { ...around, most: 40 })).toBe(40);
  expect(raiseBy(1 / 2, { ...around, least: 35 })).toBe(35);
});

describe('labels', () => {
  test.each([
    ['high card nine', 'High card nine'],
    ['a pair of sixes', 'Pair of sixes'],
    ['two pair, kings and fours', 'Two pair, kings and fours'],
    ['three of a kind, deuces', 'Three deuces'],
    ['a straight, eight to queen', 'Straight, eight to queen'],
    ['a flush, king high', 'Flush, king high'],
    ['a full house, tens full of aces', 'Full house, tens over aces'],
    ['four of a kind, jacks', 'Four jacks'],
    ['a straight flush, ace to five', 'Straight flush, ace to five'],
    ['a royal flush', 'Royal flush'],
    ['a pair of aces; 8-6-4-3-A low', 'Pair of aces; 8-6-4-3-A low'],
    ['badugi T-6-4-A', 'Badugi 10-6-4-A'],
    ['three cards 6-4-A', 'Three cards 6-4-A'],
  ])('%s', (label, text) => expect(labelText(label, t)).toBe(text));

  test('are not English in other languages', () => {
    const ru = (key: string, params = {}) =>
      Object.entries(params).reduce((text, [name, value]) => text.replace(`{${name}}`, String(value)), String(words.ru[key as 'pot']));
    expect(labelText('two pair, kings and sixes', ru)).toBe('Две пары: короли и шестёрки');
  });
});

test('every chair has a place of its own, with the own one at the bottom', () => {
  for (let chairs = 2; chairs <= 10; chairs++) {
    const all = places(chairs, 1);
    expect(all[1]?.upright.seat.y).toBeGreaterThan(80);
    for (const way of ['upright', 'lying'] as const) {
      const spots = all.map((spot) => `${spot[way].seat.x.toFixed(1)} ${spot[way].seat.y.toFixed(1)}`);
      expect(new Set(spots).size, `${chairs} ${way}`).toBe(chairs);
    }
  }
});

test('every refusal of the rules has a sentence', () => {
  const rules = readFileSync('../crates/rules-poker/src/reject.rs', 'utf8');
  const codes = [...rules.matchAll(/=> "(\w+)", "/g)].map(([, code]) => `refused.${code}`);
  expect(codes.length).toBeGreaterThan(30);
  expect(codes.filter((key) => !(key in words.en))).toEqual([]);
});
