// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest';
import { show } from '../../../test/board.svelte';
import { game } from '.';
import { updates } from './frames';
import type { Player } from './types';

const config = { small_blind: 1, big_blind: 2, min_buy_in: 40, max_buy_in: 400 };
const all = updates('anna');
const asked = all.find(({ ask, legal }) => ask !== null && legal?.call === 4)!;
const waiting = all.find(({ legal }) => (legal?.pre.length ?? 0) > 0)!;
const ended = all.findIndex(({ sights }) => sights.some(({ type }) => type === 'hand_ended'));

const button = (page: ParentNode, text: string | RegExp) =>
  [...page.querySelectorAll('button')].find((button) =>
    typeof text === 'string' ? button.textContent?.trim() === text : text.test(button.textContent ?? ''),
  );
const press = (page: ParentNode, text: string | RegExp) => button(page, text)?.click();
const texts = (page: ParentNode) => [...page.querySelectorAll('.acts button')].map((button) => button.textContent?.trim());

test('the actions are those that are legal, with what they cost', () => {
  const board = show(game, { ...asked, config });
  expect(texts(board.target)).toEqual(['Fold', 'Call 4', 'Raise to 8']);
  press(board.target, 'Call 4');
  expect(board.props.play).toHaveBeenCalledExactlyOnceWith({ type: 'call' });
  void board.close();
});

test('a raise is by parts of the pot, all-in, or typed, and never beyond what is allowed', () => {
  const board = show(game, { ...asked, config });
  const field = board.target.querySelector<HTMLInputElement>('input[type="text"]')!;
  const type = (text: string) => {
    field.value = text;
    field.dispatchEvent(new Event('change', { bubbles: true }));
    board.update({});
  };
  press(board.target, 'Pot');
  board.update({});
  expect(texts(board.target)[2]).toBe('Raise to 16');
  type('21,5');
  expect(texts(board.target)[2]).toBe('Raise to 21.5');
  type('5000');
  expect(texts(board.target)[2]).toBe('All-in 98');
  type('1');
  press(board.target, 'Raise to 8');
  expect(board.props.play).toHaveBeenCalledExactlyOnceWith({ type: 'raise', to: 8 });
  void board.close();
});

test('the bar keeps its buttons while others act, and takes what is said beforehand', () => {
  const board = show(game, { ...waiting, config });
  expect(texts(board.target)).toHaveLength(3);
  press(board.target, 'Fold');
  expect(board.props.play).not.toHaveBeenCalled();
  expect(board.props.interject).toHaveBeenLastCalledWith({ type: 'pre', pre: 'fold' });
  board.update({ view: { ...waiting.view, pre: 'check_fold' } });
  press(board.target, 'Check or fold');
  expect(board.props.interject).toHaveBeenLastCalledWith({ type: 'pre', pre: null });
  void board.close();
});

test('others keep their cards hidden, the own ones are shown', () => {
  const board = show(game, { ...asked, config });
  const cards = [...board.target.querySelectorAll('[role="img"].card')].map((card) => card.getAttribute('aria-label'));
  expect(cards.filter((name) => name === 'hidden card')).toHaveLength(2);
  expect(cards).toContain('nine of hearts');
  void board.close();
});

test('when a hand ends it is said who wins what', () => {
  const board = show(game, { ...all[ended - 1]!, config });
  board.update({ ...all[ended]!, fresh: true });
  expect(board.target.querySelector('.won')?.textContent).toContain('wins 4');
  void board.close();
});

test('side pots are named', () => {
  const pots = [
    { amount: 30, seats: [0, 1] },
    { amount: 12, seats: [1] },
  ];
  const board = show(game, { ...waiting, view: { ...waiting.view, pots }, config });
  expect([...board.target.querySelectorAll('.pot')].map((pot) => pot.textContent?.trim())).toEqual([
    'Main pot 30',
    'Side pot 1 12',
  ]);
  void board.close();
});

const rest = (own: Partial<Player>) => {
  const players = waiting.view.players.map((player) => (player.seat === 0 ? { ...player, ...own } : player));
  const legal = { ...waiting.legal!, pre: [], intents: ([0, 1, 2, 3] as const).filter((i) => i !== own.intent) };
  return show(game, { ...waiting, view: { ...waiting.view, players }, legal, config });
};

test('who sits out is told what coming back costs, and comes back', () => {
  const board = rest({ inactive: true, intent: 2, debt: 3, status: 'out', cards: '' });
  expect(board.target.textContent).toContain('To return costs 3 for missed blinds');
  expect(board.target.textContent).toContain('Sits out, owes 3');
  press(board.target, 'Return for 3');
  expect(board.props.interject).toHaveBeenCalledExactlyOnceWith({ type: 'intent', intent: 0 });
  press(board.target, 'Leave');
  expect(board.props.leave).toHaveBeenCalledOnce();
  void board.close();
});

test.each([
  [{ inactive: true, intent: 0, debt: 3 }, 'The 3 you owe'],
  [{ inactive: true, intent: 1, debt: 0 }, 'until the big blind comes to you'],
  [{ inactive: true, intent: 1, debt: 1 }, 'To return before costs 1'],
  [{ inactive: true, intent: 3, debt: 3 }, 'What you owe is not paid'],
  [{ inactive: false, intent: 2, debt: 0 }, 'You fold this hand and sit out'],
  [{ inactive: false, intent: 1, debt: 0 }, 'You fold this hand and sit out until'],
  [{ inactive: true, intent: 0, debt: 0 }, 'You get cards with the next hand'],
] as const)('%o: %s', (own, text) => {
  const board = rest(own);
  expect(board.target.textContent).toContain(text);
  void board.close();
});

test('who has no chips left can bring more at once', () => {
  const last = all[ended]!;
  const players = last.view.players.map((player) => (player.seat === 0 ? { ...player, stack: 0 } : player));
  const board = show(game, { ...last, view: { ...last.view, players }, config });
  press(board.target, 'Add 100');
  board.update({});
  expect(board.props.topUp).toHaveBeenCalledExactlyOnceWith(100);
  void board.close();
});

test('cards to be changed are chosen by touch', () => {
  const players = asked.view.players.map((player) => (player.seat === 0 ? { ...player, cards: '2c3d4h5sKd' } : player));
  const legal = { ...asked.legal!, fold: false, call: null, raise: null, discard: '2c3d4h5sKd' };
  const play = vi.fn(() => Promise.resolve());
  const board = show(game, { ...asked, view: { ...asked.view, variant: 'N2L1D', players }, legal, config, play });
  expect(texts(board.target)[1]).toBe('Keep all cards');
  const king = board.target.querySelector<HTMLElement>('.hand button:has([aria-label="king of diamonds"])');
  king?.click();
  board.update({});
  press(board.target, 'Change 1 card');
  expect(play).toHaveBeenCalledExactlyOnceWith({ type: 'discard', cards: 'Kd' });
  void board.close();
});

test('a watcher sees chairs to sit down on, and no actions', () => {
  const chairs = [{ is: 'taken', name: 'Anna', here: true }, { is: 'taken', name: 'Boris', here: true }, { is: 'open' }] as const;
  const board = show(game, { ...asked, legal: null, ask: null, seat: null, chairs: [...chairs], names: ['Anna', 'Boris', ''], config });
  expect(board.target.querySelector('[data-chair="2"]')?.getAttribute('aria-label')).toBe('Sit down on chair 3');
  expect(button(board.target, 'Fold')).toBeUndefined();
  expect(button(board.target, 'Sit down')).toBeDefined();
  void board.close();
});
