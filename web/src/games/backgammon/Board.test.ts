// @vitest-environment happy-dom
import { readFileSync } from 'node:fs';
import { flushSync } from 'svelte';
import { beforeEach, expect, test, vi } from 'vitest';
import { show } from '../../../test/board.svelte';
import { game } from '.';
import { habits } from './habits.svelte';
import { updates } from './heard';

const anna = updates('anna');
const boris = updates('boris');
const find = (all: typeof anna, what: (update: (typeof anna)[0]) => boolean) => {
  const found = all.find(what);
  if (!found) throw new Error('the session has no such update');
  return found;
};
const moving = find(anna, ({ view, legal }) => legal.plays !== null && view.dice.length === 2);
const rolling = find(anna, ({ legal }) => legal.commands.includes('propose-double'));
const doubled = find(boris, ({ legal }) => legal.commands.includes('accept'));
const resigned = find(boris, ({ legal }) => legal.commands.includes('answer-resign'));

const place = (target: HTMLElement, at: number | string) =>
  target.querySelector(`[data-place="${at}"]`) as SVGGElement;
const key = (element: Element, name: string) => {
  element.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true }));
  flushSync();
};
const lit = (target: HTMLElement, as: string) =>
  [...target.querySelectorAll(`[data-lit="${as}"]`)].map((place) => Number(place.getAttribute('data-place')));
const button = (target: HTMLElement, text: string) =>
  [...target.querySelectorAll('button')].find((button) => button.textContent?.trim() === text);
const settle = () => new Promise((done) => setTimeout(done));

beforeEach(() => {
  habits.roll = 'never';
  habits.forced = false;
});

test('only what is legal lights up, and only when asked', () => {
  const board = show(game, { ...moving, ask: null });
  expect(lit(board.target, 'source')).toEqual([]);
  board.update({ ask: 2 });
  expect(lit(board.target, 'source')).toEqual([0, 11, 16, 18]);
  key(place(board.target, 0), 'Enter');
  expect(lit(board.target, 'target')).toEqual([3, 6, 9]);
  key(place(board.target, 0), 'Escape');
  expect(lit(board.target, 'target')).toEqual([]);
  void board.close();
});

test('keys go on from where something can be done, and to where the man may go', async () => {
  const board = show(game, { ...moving });
  const cursor = () => board.target.querySelector('[data-place][tabindex="0"]') as SVGGElement;
  expect(lit(board.target, 'source')).toContain(Number(cursor().dataset.place));
  cursor().focus();
  key(cursor(), 'Enter');
  expect(lit(board.target, 'target')).toContain(Number(cursor().dataset.place));
  expect(document.activeElement).toBe(cursor());
  key(cursor(), 'ArrowRight');
  key(cursor(), 'ArrowRight');
  expect(document.activeElement).toBe(cursor());
  await board.close();
});

test('a man that goes by both dice is two steps, shown at once', async () => {
  const play = vi.fn(() => Promise.resolve());
  const board = show(game, { ...moving, play });
  key(place(board.target, 0), 'Enter');
  key(place(board.target, 9), 'Enter');
  expect(place(board.target, 9).getAttribute('data-men')).toBe('1');
  await settle();
  expect(play.mock.calls).toEqual([
    [{ type: 'move', from: 0, to: 6, die: 6, seat: 0 }],
    [{ type: 'move', from: 6, to: 9, die: 3, seat: 0 }],
  ]);
  await board.close();
});

test('changed dice go the other way', async () => {
  const play = vi.fn(() => Promise.resolve());
  const board = show(game, { ...moving, play });
  key(board.target.querySelector('[data-dice]') as Element, 'Enter');
  key(place(board.target, 0), 'Enter');
  key(place(board.target, 9), 'Enter');
  await settle();
  expect(play.mock.calls[0]).toEqual([{ type: 'move', from: 0, to: 3, die: 3, seat: 0 }]);
  await board.close();
});

test('what is refused goes back', async () => {
  const board = show(game, { ...moving, play: vi.fn(() => Promise.reject(new Error('no'))) });
  key(place(board.target, 0), 'Enter');
  key(place(board.target, 6), 'Enter');
  await settle();
  flushSync();
  expect(place(board.target, 6).getAttribute('data-men')).toBe(null);
  expect(place(board.target, 0).getAttribute('data-men')).toBe('2');
  await board.close();
});

test('one rolls or doubles, and the page rolls by itself if it is told to', async () => {
  vi.useFakeTimers();
  const board = show(game, rolling);
  expect(button(board.target, 'Double to 2')).toBeDefined();
  button(board.target, 'Roll')?.click();
  expect(board.props.play).toHaveBeenCalledExactlyOnceWith({ type: 'roll', seat: 0 });
  await vi.runAllTimersAsync();
  habits.roll = 'always';
  flushSync();
  await vi.runAllTimersAsync();
  expect(board.props.play).toHaveBeenCalledTimes(2);
  habits.roll = 'undoubled';
  board.update({ ask: 99 });
  await vi.runAllTimersAsync();
  expect(board.props.play).toHaveBeenCalledTimes(2);
  vi.useRealTimers();
  await board.close();
});

test('a double says what is at stake', () => {
  const board = show(game, { ...doubled, seat: 1, names: ['Anna', 'You'] });
  expect(board.target.textContent).toContain('Anna doubles. Take and play for 2 chips, or drop and lose 1 chip.');
  button(board.target, 'Drop')?.click();
  expect(board.props.play).toHaveBeenCalledExactlyOnceWith({ type: 'forfeit', seat: 1 });
  void board.close();
});

test('a resignation is accepted or refused', () => {
  const board = show(game, { ...resigned, seat: 1, names: ['Anna', 'You'] });
  expect(board.target.textContent).toContain('Anna offers to lose a single game: 2 chips.');
  button(board.target, 'Play on')?.click();
  expect(board.props.play).toHaveBeenCalledExactlyOnceWith({ type: 'answer-resign', accept: false, seat: 1 });
  void board.close();
});

test('from the sixth man on they are counted', () => {
  const points = moving.view.points.map(([a, b], i): [number, number] => (i === 18 ? [7, 0] : i === 11 ? [3, 0] : [a, b]));
  const board = show(game, { ...moving, view: { ...moving.view, points } });
  const texts = [...board.target.querySelectorAll('svg text')].map((text) => text.textContent);
  expect(texts).toEqual(['1', '7']);
  void board.close();
});

test('every code of the rules has a sentence', () => {
  const reject = readFileSync('../crates/rules-backgammon/src/reject.rs', 'utf8');
  const codes = [...reject.matchAll(/=> "(\w+)"/g)].map(([, code]) => code);
  expect(codes.length).toBeGreaterThan(10);
  expect(codes.filter((code) => !(`refused.${code}` in game.words.en))).toEqual([]);
});
