// @vitest-environment happy-dom
import { readFileSync } from 'node:fs';
import { flushSync } from 'svelte';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { show } from '../../../test/board.svelte';
import { translator } from '../../i18n';
import { game } from '.';
import { places } from './laying';
import { LOOK_MS } from './reveal.svelte';
import type { Battle, Command, Layout, Legal, Sight, View } from './types';

interface Update {
  type: 'update';
  table: string;
  view: View;
  legal: Legal;
  ask: number | null;
  sights: Sight[];
}

/** A real battle of one round, as Anna on chair 0 was told it. */
const frames = readFileSync('../conformance/protocol/battle.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { who?: string; told?: Update })
  .flatMap(({ who, told }) => (who === 'anna' && told?.type === 'update' ? [told] : []));
const match = frames.filter(({ table }) => table === frames[0]?.table);
const prep = match.find(({ ask }) => ask !== null) as Update;
const at = (step: number) =>
  match.find(({ sights }) => sights.some((sight) => sight.type === 'step_reveal' && sight.step === step)) as Update;

const { view, legal, ask } = prep;
const given = { view, legal, ask };
const empty: Layout = [null, null, null];

type Shown = ReturnType<typeof show<Battle>>;
let board: Shown;

function put(props: Partial<Shown['props']> = {}) {
  board = show(game, { ...given, ...props });
  return board;
}
const own = () => [...board.target.querySelectorAll<HTMLElement>('[data-own-slot]')];
const far = () => [...board.target.querySelectorAll<HTMLElement>('[data-far-slot]')];
const cards = (slots: HTMLElement[]) => slots.map((slot) => slot.dataset.card ?? null);
const click = (element: Element | null | undefined) => {
  element?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  flushSync();
};
const card = (name: string) => click(board.target.querySelector(`[data-hand="${name}"]`));
const confirm = () => click(board.target.querySelector('.confirm button'));
const draft = (...layout: Layout): Command => ({ type: 'layout_draft', layout });
const settle = async () => {
  await vi.advanceTimersByTimeAsync(0);
  flushSync();
};

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(async () => {
  await board.close();
  vi.useRealTimers();
});

test('a whole match is looked at, and nothing is said that the player did not do', () => {
  const [first, ...rest] = match as [Update, ...Update[]];
  put({ view: first.view, legal: first.legal, ask: first.ask });
  for (const { view, legal, ask, sights } of rest) {
    board.update({ view, legal, ask, sights, fresh: true });
    vi.advanceTimersByTime(LOOK_MS * 2);
    flushSync();
  }
  expect(board.props.play).not.toHaveBeenCalled();
  expect(board.props.interject).not.toHaveBeenCalled();
});

test('the slots are empty when a round begins, and each change of the player is one draft', async () => {
  put();
  expect(cards(own())).toEqual(empty);
  card('attack');
  expect(cards(own())).toEqual(['attack', null, null]);
  expect(board.props.play).toHaveBeenCalledExactlyOnceWith(draft('attack', null, null));
  card('heal');
  expect(board.props.play).toHaveBeenLastCalledWith(draft('attack', 'heal', null));
  expect(board.props.play).toHaveBeenCalledTimes(2);
  board.update({ view: { ...view, yourDraft: ['attack', 'heal', null] } });
  await settle();
  expect(cards(own())).toEqual(['attack', 'heal', null]);

  board.update({ view: { ...view, roundIndex: 2, yourDraft: empty }, ask: 9 });
  expect(cards(own())).toEqual(empty);
  vi.advanceTimersByTime(60_000);
  flushSync();
  expect(cards(own())).toEqual(empty);
  expect(board.props.play).toHaveBeenCalledTimes(2);
});

test('a draft that is still on its way does not lie in the next round', () => {
  put({ play: vi.fn(() => new Promise<void>(() => {})) });
  card('attack');
  expect(cards(own())).toEqual(['attack', null, null]);
  board.update({ view: { ...view, roundIndex: 2 }, ask: 9 });
  expect(cards(own())).toEqual(empty);
});

test('what is refused is put back', async () => {
  put({ play: vi.fn(() => Promise.reject(new Error('refused'))) });
  card('attack');
  expect(cards(own())).toEqual(['attack', null, null]);
  await settle();
  expect(cards(own())).toEqual(empty);
});

test('what lies is shown to who comes back in the middle of a round, and is not sent again', () => {
  put({ view: { ...view, yourDraft: [null, 'counter', null] } });
  expect(cards(own())).toEqual([null, 'counter', null]);
  expect(board.props.play).not.toHaveBeenCalled();
});

test('a slot that is touched is laid next; a card that lies is taken back; a full row is changed', () => {
  const { play } = put().props;
  click(own()[2]);
  expect(play).not.toHaveBeenCalled();
  card('heal');
  expect(play).toHaveBeenLastCalledWith(draft(null, null, 'heal'));
  click(own()[2]);
  expect(play).toHaveBeenLastCalledWith(draft(null, null, null));
  for (const name of ['attack', 'defense', 'heal']) card(name);
  expect(play).toHaveBeenLastCalledWith(draft('attack', 'defense', 'heal'));
  const sent = vi.mocked(play).mock.calls.length;
  card('counter');
  expect(play).toHaveBeenCalledTimes(sent);
  click(own()[1]);
  expect(play).toHaveBeenLastCalledWith(draft('attack', 'counter', 'heal'));
  card('attack');
  expect(play).toHaveBeenLastCalledWith(draft(null, 'counter', 'heal'));
});

test('confirm says what lies, empty slots too, and then nothing can be changed', () => {
  const { play } = put({ view: { ...view, yourDraft: ['attack', null, null] } }).props;
  confirm();
  expect(play).toHaveBeenCalledExactlyOnceWith({ type: 'layout_confirm', layout: ['attack', null, null] });
  board.update({
    view: { ...view, yourDraft: ['attack', null, null], yourConfirmed: true },
    legal: { ...legal, commands: [] },
    ask: null,
  });
  card('heal');
  click(own()[0]);
  expect(play).toHaveBeenCalledOnce();
  expect(cards(own())).toEqual(['attack', null, null]);
});

test('pairs are turned one by one, and the last one is looked at before the slots are empty again', () => {
  put({ view: { ...view, yourDraft: ['attack', null, 'counter'] } });
  for (const step of [1, 2]) board.update({ ...at(step), fresh: true });
  expect(cards(far())).toEqual(['heal', 'defense', null]);
  expect(board.target.querySelectorAll('.hidden')).toHaveLength(1);
  const next = { ...view, roundIndex: 2, oppHp: 8 };
  board.update({ view: next, legal, ask: 9, sights: at(3).sights, fresh: true });
  expect(cards(own())).toEqual(['attack', null, 'counter']);
  const list = () => [...board.target.querySelectorAll('ol .unseen')].map((line) => line.textContent);
  expect(list()).toEqual([
    '1. You: Attack 0; Boris: Heal −2.',
    '2. You: Empty 0; Boris: Defense 0.',
    '3. You: Counter 0; Boris: Empty 0.',
  ]);
  vi.advanceTimersByTime(LOOK_MS);
  flushSync();
  expect(cards(own())).toEqual(empty);
  expect(cards(far())).toEqual(empty);
  expect(list()).toHaveLength(3);
});

test('who is in a hurry lays at once', () => {
  put({ view: { ...view, yourDraft: ['attack', null, 'counter'] } });
  for (const step of [1, 2]) board.update({ ...at(step), fresh: true });
  board.update({ view: { ...view, roundIndex: 2 }, legal, ask: 9, sights: at(3).sights, fresh: true });
  card('defense');
  expect(cards(own())).toEqual(['defense', null, null]);
  expect(board.props.play).toHaveBeenCalledExactlyOnceWith(draft('defense', null, null));
});

test('after a reload nothing is shown again', () => {
  put();
  board.update({ view: { ...view, roundIndex: 2 }, legal, ask: 9, sights: at(3).sights, fresh: false });
  expect(cards(own())).toEqual(empty);
  expect(board.target.querySelector('[data-phase="PREP"]')).not.toBeNull();
});

test('a watcher sees both rows, and nothing to touch', () => {
  const { yourHp, oppHp, yourHand, oppHand, yourSeat, yourDraft, yourConfirmed, yourAfkStreak, ...open } = view;
  const watched: View = {
    ...open,
    phase: 'REVEAL',
    aHp: 10,
    bHp: 8,
    revealed: [{ aCard: 'attack', bCard: null }],
  };
  put({ view: watched, legal: null, ask: null, seat: null, names: ['Anna', 'Boris'] });
  expect(board.target.querySelectorAll('button')).toHaveLength(0);
  expect(cards(far())).toEqual([null, null, null, 'attack', null, null]);
  expect(board.target.querySelectorAll('.hidden')).toHaveLength(4);
});

test('a match is told in sentences', () => {
  put();
  const t = translator(game.words);
  const names = ['You', 'Boris'];
  const told = match.flatMap(({ view, sights }) => game.describe(sights, { view, before: null, seat: 0, names, t }));
  expect(told.slice(0, 2)).toEqual(['The battle begins. The pot: 2 tokens.', 'Round 1.']);
  expect(told).toContain('1. You: Attack, Boris: Heal. HP 10 to 8.');
  const end = match.at(-1) as Update;
  const outcome = (seat: number | null) => game.result(end.view, { view: end.view, before: null, seat, names, t });
  expect(outcome(0)).toMatchObject({ winner: 0, text: '10 to 8 HP. The pot is yours: 2 tokens.' });
  expect(outcome(1)?.text).toBe('10 to 8 HP. The pot goes to You: 2 tokens.');
});

test('two cards of a kind lie in two slots', () => {
  put();
  const hand = ['attack', 'attack', 'heal', 'counter'] as const;
  expect(places(hand, ['attack', null, null])).toEqual([0, null, null, null]);
  expect(places(hand, ['attack', 'counter', 'attack'])).toEqual([0, 2, null, 1]);
});
