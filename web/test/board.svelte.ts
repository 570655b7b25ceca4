import { flushSync, mount, unmount } from 'svelte';
import { vi } from 'vitest';
import type { BoardProps, GameModule, GameTypes } from '../src/games/contract';
import { translator } from '../src/i18n';

type Given<G extends GameTypes> = Pick<BoardProps<G>, 'view'> & Partial<BoardProps<G>>;

/** A board on a page of its own, seen from chair 0, with what a test does not care about. */
export function show<G extends GameTypes>(game: GameModule<G>, given: Given<G>) {
  const done = () => vi.fn(() => Promise.resolve());
  const props = $state<BoardProps<G>>({
    legal: null,
    ask: null,
    seat: 0,
    sights: [],
    fresh: false,
    count: 1,
    chairs: [
      { is: 'taken', name: 'Anna', here: true },
      { is: 'taken', name: 'Boris', here: true },
    ],
    names: ['You', 'Boris'],
    clocks: [],
    until_ms: null,
    paused: false,
    now: () => 0,
    over: false,
    config: {},
    flip: false,
    reducedMotion: true,
    balance: 1000,
    t: translator(game.words) as BoardProps<G>['t'],
    play: done(),
    interject: done(),
    topUp: done(),
    sit: done(),
    house: done(),
    leave: done(),
    ...given,
  });
  const target = document.createElement('div');
  document.body.append(target);
  const board = mount(game.Board, { target, props });
  flushSync();
  return {
    target,
    props,
    /** The next update. */
    update(next: Partial<BoardProps<G>>) {
      Object.assign(props, { count: props.count + 1 }, next);
      flushSync();
    },
    async close() {
      await unmount(board);
      target.remove();
    },
  };
}
