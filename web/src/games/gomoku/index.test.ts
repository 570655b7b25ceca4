// @vitest-environment happy-dom
import type { Game, Tell } from '$wire';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { shell, translator } from '../../i18n';
import { game } from '.';
import type { Sight, View } from './types';

const session = (name: string) =>
  readFileSync(`../conformance/protocol/${name}.jsonl`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { who?: string; told?: Tell; got?: unknown });
const t = translator(game.words);
const names = ['You', 'Boris'];

/** What Anna is told at the first table of a session, as sentences, and how it ended. */
function heard(name: string) {
  const updates = session(name).flatMap(({ who, told }) => (who === 'anna' && told?.type === 'update' ? [told] : []));
  const first = updates.filter(({ table }) => table === updates[0]?.table);
  const telling = (view: unknown) => ({ view: view as View, before: null, seat: 0, names, t });
  return {
    said: first.flatMap(({ sights, view }) => game.describe(sights as Sight[], telling(view))),
    result: game.result(first.at(-1)?.view as View, telling(first.at(-1)?.view)),
  };
}

test('an opening, and the game after it, are heard as sentences', () => {
  expect(heard('gomoku-swap2')).toEqual({
    said: [
      'The game begins. First to lay: You.',
      'You: stone 1 at h8',
      'You: stone 2 at i8',
      'You: stone 3 at h6',
      'Boris: Take white',
      'Black: You, white: Boris. First move: You.',
      'You: h7',
      'Winner: You. By resignation.',
    ],
    result: { winner: 0, text: 'By resignation.' },
  });
});

test('a row is heard, and wins', () => {
  const { said, result } = heard('gomoku');
  expect(said.slice(-2)).toEqual(['You: d8', 'Winner: You. Five in a row.']);
  expect(result).toEqual({ winner: 0, text: 'Five in a row.' });
});

test('every code that the rules refuse with has a sentence', () => {
  const games = session('http').flatMap(({ got }) => (Array.isArray(got) ? (got as Game[]) : []));
  const codes = games.find((other) => other.game === 'gomoku')?.codes ?? [];
  expect(codes).toContain('forbidden_point');
  for (const code of codes) expect({ ...shell.en, ...game.words.en }).toHaveProperty([`refused.${code}`]);
});
