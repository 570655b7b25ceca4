// @vitest-environment happy-dom
import { flushSync } from 'svelte';
import { afterEach, expect, test, vi } from 'vitest';
import { show } from '../../../test/board.svelte';
import { askOf, legalOf, newGame, played, type Frame } from '../../../test/swap2';
import { Refused } from '../../net/refused';
import { game } from '.';
import type { Gomoku, View } from './types';
import type { BoardProps } from '../contract';

const setup = { players: ['0', '1'] as [string, string], opener: 0, first: 'X' as const, size: 15 };
const view = newGame(setup, false);
const legal = legalOf(view, 0);
const POINTS = [
  { x: 7, y: 7 },
  { x: 8, y: 8 },
  { x: 9, y: 7 },
  { x: 3, y: 3 },
  { x: 4, y: 4 },
];
const opening = played(setup, POINTS, 'place_more', 'white').frames;
/** A moment of the opening, as one of the two is shown it. */
const at = (n: number, seat: number) => {
  const { view } = opening[n] as Frame;
  const names = seat === 0 ? ['You', 'Boris'] : ['Anna', 'You'];
  return { view, seat, legal: legalOf(view, seat), ask: askOf(view, seat), names };
};

let board: ReturnType<typeof show<Gomoku>>;
const open = (given: { view: View } & Partial<BoardProps<Gomoku>>) => (board = show(game, given));
afterEach(() => board.close());

const one = (selector: string) => board.target.querySelector(selector);
const all = (selector: string) => [...board.target.querySelectorAll(selector)];
const text = (selector: string) => one(selector)?.textContent?.replace(/\s+/g, ' ').trim();
const button = (name: string) =>
  all('button').find((found) => (found.getAttribute('aria-label') ?? found.textContent?.trim()) === name) as
    | HTMLButtonElement
    | undefined;
const click = (element: Element | null | undefined) => {
  element?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  flushSync();
};
const touch = (at: string) => click(one(`[data-point="${at}"]`));

/** A finger that comes down on the first point, moves over the others and is lifted. */
function finger(...path: { x: number; y: number }[]) {
  const svg = one('.gomoku svg') as SVGSVGElement;
  vi.spyOn(svg, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 320, 320));
  const send = (type: string, { x, y }: { x: number; y: number }) => {
    const where = { clientX: (x + 1) * 20 + 6, clientY: (y + 1) * 20 - 6 };
    one('.points')?.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: 'touch', ...where }));
  };
  path.forEach((point, i) => {
    send(i === 0 ? 'pointerdown' : 'pointermove', point);
    flushSync();
  });
  send('pointerup', path.at(-1) as { x: number; y: number });
  flushSync();
}

test('a click on a point that is legal plays it, when asked', () => {
  open({ view, legal, ask: null });
  touch('h8');
  expect(board.props.play).not.toHaveBeenCalled();
  board.update({ ask: 1 });
  touch('a15');
  expect(board.props.play).toHaveBeenCalledExactlyOnceWith({ type: 'move', x: 0, y: 0 });
});

test('what is not legal is not played', () => {
  const rows = legal.rows?.map((row, y) => (y === 7 ? row & ~(1 << 7) : row)) ?? null;
  open({ view, legal: { ...legal, rows }, ask: 1 });
  touch('h8');
  expect(board.props.play).not.toHaveBeenCalled();
});

test('a finger aims, and the stone is laid by the button below or by a second touch', () => {
  open({ view, legal, ask: 1 });
  finger({ x: 3, y: 3 }, { x: 4, y: 3 }, { x: 7, y: 7 });
  expect(board.props.play).not.toHaveBeenCalled();
  expect(all('.candidate')).toHaveLength(1);
  click(button('Another point'));
  expect(all('.candidate')).toHaveLength(0);
  finger({ x: 7, y: 7 });
  click(button('Play h8'));
  expect(board.props.play).toHaveBeenCalledExactlyOnceWith({ type: 'move', x: 7, y: 7 });
});

test('a second touch on the same point lays the stone, one on another aims anew', () => {
  open({ view, legal, ask: 1 });
  finger({ x: 7, y: 7 });
  finger({ x: 8, y: 7 });
  expect(board.props.play).not.toHaveBeenCalled();
  finger({ x: 8, y: 7 });
  expect(board.props.play).toHaveBeenCalledExactlyOnceWith({ type: 'move', x: 8, y: 7 });
});

test('a stone that is refused is taken away', async () => {
  let refuse: (why: Refused) => void = () => {};
  const play = vi.fn(() => new Promise<void>((_, failed) => (refuse = failed)));
  open({ view, legal, ask: 1, play });
  touch('h8');
  expect(all('.candidate')).toHaveLength(1);
  refuse(new Refused('position_occupied', ''));
  await vi.waitFor(() => expect(all('.candidate')).toHaveLength(0));
});

test('what was aimed at is forgotten with its question', () => {
  open({ view, legal, ask: 1 });
  finger({ x: 7, y: 7 });
  board.update({ ask: 2 });
  expect(all('.candidate')).toHaveLength(0);
});

test('the opening is told with its counter and who is to act', () => {
  open(at(0, 0));
  const told = (n: number, seat: number) => {
    board.update(at(n, seat));
    return text('.strip');
  };
  expect(told(0, 0)).toBe('0/3 Lay three stones: black, white, black');
  expect(told(1, 1)).toBe('1/3 Anna lays three stones');
  expect(told(3, 0)).toBe('3/3 Boris chooses a colour');
  expect(told(5, 0)).toBe('4/5 Boris lays two more stones');
  expect(told(6, 1)).toBe('5/5 Anna chooses a colour');
  expect(told(7, 0)).toBe('Black: Boris White: You First move: Boris');
});

test('stones of the opening have their numbers, and the newest a ring', () => {
  open(at(5, 0));
  expect(all('.gomoku .order').map((order) => order.textContent).sort()).toEqual(['1', '2', '3', '4']);
  expect(all('.gomoku .newest')).toHaveLength(1);
  expect(one('.gomoku .newest')?.parentElement?.querySelector('.order')?.textContent).toBe('4');
});

test('a colour is chosen in a dialog with the stones and the time left, which can be put aside', () => {
  open({ ...at(3, 1), clocks: [{ seat: 1, reserve_ms: 0, until_ms: Date.now() + 30_500 }] });
  expect(all('dialog[open] .order')).toHaveLength(3);
  expect(text('dialog[open] [role=timer]')).toMatch(/^0:3[01]$/);
  expect(all('dialog[open] li')).toHaveLength(3);
  click(button('Close'));
  expect(all('dialog[open]')).toHaveLength(0);
  click(button('Choose your colour'));
  click(all('dialog[open] li button')[2]);
  expect(board.props.play).toHaveBeenCalledExactlyOnceWith({ type: 'make_choice', choice: 'place_more' });
});

test('who waits for the choice of the other sees no dialog', () => {
  open(at(3, 0));
  expect(all('dialog[open]')).toHaveLength(0);
});

test('offers are made without being asked, and answered', () => {
  const commands = ['offer_draw', 'resign'] as const;
  open({ view, legal: { commands: [...commands], rows: null, choices: [] } });
  expect(button('Ask to take back')?.disabled).toBe(true);
  click(button('Offer a draw'));
  expect(board.props.interject).toHaveBeenCalledExactlyOnceWith({ type: 'offer_draw' });
  board.update({ view: { ...view, offer: { seat: 0, type: 'draw' } } });
  expect(text('.actions')).toBe('You have offered a draw.');
  board.update({
    view: { ...view, offer: { seat: 1, type: 'takeback' } },
    legal: { commands: ['answer_takeback', 'resign'], rows: null, choices: [] },
    ask: 4,
  });
  expect(text('.actions p')).toBe('Boris asks to take back.');
  click(button('Decline'));
  expect(board.props.play).toHaveBeenCalledExactlyOnceWith({ type: 'answer_takeback', accept: false });
});

test('one resigns only after being asked again', () => {
  open({ view, legal, ask: 1 });
  click(button('Resign'));
  expect(board.props.interject).not.toHaveBeenCalled();
  click(all('dialog[open] footer button')[0]);
  expect(board.props.interject).toHaveBeenCalledExactlyOnceWith({ type: 'resign' });
});

test('a series shows its score, and what the game before the next was', () => {
  const match = { ...view.match, config: { ...view.match.config, match: 2 }, score: [0, 1] as [number, number] };
  open({ view: { ...view, match } });
  expect(text('.score')).toBe('Games won, You and Boris: 0 : 1');
  const ended = { ...view, up: null, reason: 'row' as const, winner: 1, match: { ...match, history: [{}] } };
  board.update({ view: ended, until_ms: Date.now() + 3900 });
  expect(text('.strip p')).toBe('Game 1 goes to: Boris. The next begins in 4 seconds.');
});

test('forbidden points are crossed, and the winning row is joined', () => {
  open({ view: { ...view, forbidden: [{ x: 3, y: 3 }], line: [0, 1, 2, 3, 4].map((x) => ({ x, y: 0 })) } });
  expect(all('.cross')).toHaveLength(1);
  expect(one('[data-point="d12"]')?.getAttribute('aria-label')).toBe('d12, forbidden to black');
  expect(one('.five')?.getAttribute('d')).toBe('M1 1L5 1');
});

test('a turned board is mirrored both ways', () => {
  const board15 = view.board.map((row, y) => row.map((_, x) => (x === 0 && y === 0 ? ('X' as const) : null)));
  open({ view: { ...view, board: board15 }, flip: true });
  expect(one('.stone circle')?.getAttribute('cx')).toBe('15');
  expect(one('.stone circle')?.getAttribute('cy')).toBe('15');
});
