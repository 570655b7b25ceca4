// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest';
import { replayOf } from '../src/state/replay';

test('a replay is asked for once, and whole', async () => {
  const asked: string[] = [];
  const replay = { table: 't-1', from: 0, count: 700, scenes: Array(700).fill({}) };
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    return new Response(JSON.stringify(replay));
  });
  expect(await replayOf('t-1', null)).toEqual(replay);
  expect(await replayOf('t-1', 'a b&c')).toEqual(replay);
  expect(asked).toEqual(['/api/tables/t-1/replay', '/api/tables/t-1/replay?key=a+b%26c']);
});
