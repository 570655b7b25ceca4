// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest';
import { show } from '../../../test/board.svelte';
import { game } from '.';
import type { View } from './types';

const SIZE = 15;
const ALL = 2 ** SIZE - 1;
const view: View = {
  board: Array.from({ length: SIZE }, () => Array<null>(SIZE).fill(null)),
  moves: [],
  gamePhase: 'main_game',
  up: 0,
  black: 0,
  match: { begun: true, score: [0, 0], over: false, winner: null },
};
const legal = { commands: ['move', 'resign'], rows: Array<number>(SIZE).fill(ALL), choices: [] };

const touch = (board: HTMLElement, at: string) =>
  board.querySelector(`[data-point="${at}"]`)?.dispatchEvent(new MouseEvent('click', { bubbles: true }));

test('a touch on a point that is legal plays it, when asked', () => {
  const play = vi.fn(() => Promise.resolve());
  const board = show(game, { view, legal, ask: null, play });
  touch(board.target, 'h8');
  expect(play).not.toHaveBeenCalled();
  board.update({ ask: 1 });
  touch(board.target, 'a15');
  expect(play).toHaveBeenCalledExactlyOnceWith({ type: 'move', x: 0, y: 0 });
  void board.close();
});

test('what is not legal is not played', () => {
  const rows = legal.rows.map((row, y) => (y === 7 ? row & ~(1 << 7) : row));
  const board = show(game, { view, legal: { ...legal, rows }, ask: 1 });
  touch(board.target, 'h8');
  expect(board.props.play).not.toHaveBeenCalled();
  void board.close();
});
