// @vitest-environment happy-dom
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Follower } from './follow.svelte';
import { FIRST_MS, MOST_MS } from './pace';

const AT = '../conformance/git/turn/after/tables/t1/';
const put = new Map<string, string>();
let looks = 0;
let hidden = false;

beforeEach(() => {
  vi.useFakeTimers();
  put.clear();
  [looks, hidden] = [0, false];
  vi.spyOn(document, 'hidden', 'get').mockImplementation(() => hidden);
  vi.stubGlobal('fetch', (url: string) => {
    looks += Number(url.endsWith('state.json'));
    return Promise.resolve(new Response(put.get(url) ?? readFileSync(url, 'utf8')));
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Lets what is under way come to its end; hashes are made outside of the clock. */
const settle = () => vi.waitFor(async () => {
  const before = looks;
  await vi.advanceTimersByTimeAsync(0);
  await new Promise<void>((done) => setImmediate(done));
  expect(looks).toBe(before);
});
const show = () => document.dispatchEvent(new Event('visibilitychange'));

test('a table is followed, seldom while it is unseen, and at once when it is seen', async () => {
  const follower = new Follower(AT);
  const stop = follower.start();
  await vi.waitUntil(() => follower.seen);
  expect(follower.seen?.plays).not.toBe(null);
  expect(follower.seen?.last?.player).toBe('white');
  await settle();

  await vi.advanceTimersByTimeAsync(FIRST_MS);
  await settle();
  expect(looks).toBe(2);
  hidden = true;
  await vi.advanceTimersByTimeAsync(2 * FIRST_MS);
  await settle();
  expect(looks).toBe(3);
  await vi.advanceTimersByTimeAsync(MOST_MS - FIRST_MS);
  expect(looks).toBe(3);
  hidden = false;
  show();
  await settle();
  expect(looks).toBe(4);
  stop();
  await vi.advanceTimersByTimeAsync(10 * MOST_MS);
  expect(looks).toBe(4);
});

test('plays of another state are not offered, and are asked for again', async () => {
  const legal = `${AT}legal.json`;
  put.set(legal, readFileSync('../conformance/git/doubles/after/tables/t1/legal.json', 'utf8'));
  const follower = new Follower(AT);
  const stop = follower.start();
  await vi.waitUntil(() => follower.seen);
  expect(follower.seen?.plays).toBe(null);
  await settle();
  put.delete(legal);
  await vi.advanceTimersByTimeAsync(FIRST_MS);
  await vi.waitUntil(() => follower.seen?.plays);
  stop();
});

test('what was pushed by mistake is told, and the last good state stays', async () => {
  const follower = new Follower(AT);
  const stop = follower.start();
  await vi.waitUntil(() => follower.seen);
  await settle();
  put.set(`${AT}state.json`, '{}');
  await vi.advanceTimersByTimeAsync(FIRST_MS);
  await vi.waitUntil(() => follower.trouble === 'unreadable');
  expect(follower.seen).not.toBe(null);
  stop();
});
