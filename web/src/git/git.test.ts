import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { choices, isEnd, nodeAfter } from '../games/backgammon/plays';
import { same } from '../games/backgammon/position';
import { openingOf, positionOf, readMatch, readMove, readPlays, readState, stepsOf, Unreadable } from './docs';
import { history } from './history';
import { fingerprint, moveFile } from './movefile';
import { FIRST_MS, HIDDEN_MS, MOST_MS, pause } from './pace';
import { folder, newFile, type Config } from './places';

const VECTORS = '../conformance/git';
const table = (name: string, when: string) => join(VECTORS, name, when, 'tables/t1');
const read = (name: string, when: string, file: string) => readFileSync(join(table(name, when), file), 'utf8');

/** Every move that the referee accepted: the state it was made for, and its file. */
const accepted = readdirSync(VECTORS).flatMap((name) => {
  const pushed = join(table(name, 'push'), 'moves');
  const kept = join(table(name, 'after'), 'moves');
  if (!existsSync(pushed) || !existsSync(kept)) return [];
  const before = readState(read(name, 'before', 'state.json'));
  const due = String((before.lastMove?.sequence ?? 0) + 1).padStart(4, '0');
  const files = readdirSync(kept).filter((file) => existsSync(join(pushed, file)) && file.startsWith(due));
  const all = files.map((file) => ({ name, file, before, text: read(name, 'push', `moves/${file}`) }));
  // Doubles may be written as two dice; the page writes them as the state does.
  return all.filter(({ text }) => readMove(text).diceRoll.length === before.dice.length);
});

test('there are vectors', () => expect(accepted.length).toBeGreaterThan(8));

test.each(accepted)('$name: name, hash and content are those the referee accepts', async ({ file, before, text }) => {
  const move = readMove(text);
  expect(await fingerprint(before)).toBe(move.expectedState);
  const made = await moveFile(before, stepsOf(move), Date.parse(move.timestamp), move.comment);
  expect(made.name).toBe(file);
  expect(JSON.parse(made.text)).toEqual(JSON.parse(text));
});

test('what may be played is told for the state beside it', async () => {
  for (const name of readdirSync(VECTORS)) {
    const file = join(table(name, 'after'), 'legal.json');
    if (!existsSync(file)) continue;
    const { expectedState, plays } = readPlays(readFileSync(file, 'utf8'));
    const state = readState(read(name, 'after', 'state.json'));
    expect(expectedState, name).toBe(await fingerprint(state));
    expect(plays === null, name).toBe(state.winner !== null);
    if (plays) expect(choices(plays, 0).size, name).toBeGreaterThan(0);
  }
});

test('who walks along the plays that were told ends a turn', () => {
  const after = readPlays(read('racing-players', 'after', 'legal.json'));
  if (!after.plays) throw new Error('the game goes on');
  const walk = [];
  for (let node: number | null = 0; node !== null && !isEnd(after.plays, node); node = nodeAfter(after.plays, walk)) {
    const [steps] = [...(choices(after.plays, node).values().next().value?.values() ?? [])];
    walk.push(...(steps ?? []));
  }
  expect(isEnd(after.plays, nodeAfter(after.plays, walk))).toBe(true);
});

test('the opening is where the first state is', () => {
  const state = readState(read('turn', 'before', 'state.json'));
  expect(same(openingOf(readMatch(read('turn', 'before', 'match.json'))), positionOf(state))).toBe(true);
});

test('whatever is pushed as a state is read or refused', () => {
  const good = read('turn', 'before', 'state.json');
  for (const bad of ['', '{}', 'null', '[]', good.replace('"board"', '"bored"'), good.replace('"alice"', '7')]) {
    expect(() => readState(bad), bad).toThrow(Unreadable);
  }
});

const HERE: Config = { files: './', github: null, branch: 'main' };
const THERE: Config = { files: './', github: 'anna/games', branch: 'main' };

function serve(files: Record<string, string>) {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(url);
    const text = files[url];
    return Promise.resolve(text === undefined ? new Response('', { status: 404 }) : new Response(text));
  });
  return asked;
}

test('without a forge the history is put together from the moves', async () => {
  const [state, match] = [read('turn', 'after', 'state.json'), read('turn', 'after', 'match.json')];
  const move = '0001-white-96390b.json';
  serve({ [`./tables/t1/moves/${move}`]: read('turn', 'after', `moves/${move}`) });
  const moments = await history(HERE, 't1', readState(state), readMatch(match));
  expect(moments.map(({ key }) => key)).toEqual(['opening', move]);
  const still = await moments[1]?.still();
  expect(still && same(still.position, positionOf(readState(state)))).toBe(true);
  vi.unstubAllGlobals();
});

test('with a forge it is the commits, each shown from its own files', async () => {
  const [before, after] = [read('turn', 'before', 'state.json'), read('turn', 'after', 'state.json')];
  const commit = (sha: string, message: string) => ({ sha, commit: { message, committer: { date: '2026-01-01T12:00:00Z' } } });
  const list = [commit('b2', 't1: white plays\n\nTable: t1'), commit('a1', 't1: new table')];
  const raw = 'https://raw.githubusercontent.com/anna/games';
  const asked = serve({
    'https://api.github.com/repos/anna/games/commits?path=tables%2Ft1%2Fstate.json&sha=main&per_page=100': JSON.stringify(list),
    [`${raw}/a1/tables/t1/state.json`]: before,
    [`${raw}/b2/tables/t1/state.json`]: after,
  });
  const moments = await history(THERE, 't1', readState(after), readMatch(read('turn', 'after', 'match.json')));
  expect(moments.map(({ what }) => what)).toEqual(['new table', 'white plays']);
  expect(asked.length).toBe(1);
  const first = await moments[0]?.still();
  expect(first && same(first.position, positionOf(readState(before)))).toBe(true);
  vi.unstubAllGlobals();
});

test('addresses', () => {
  expect(folder({ ...HERE, files: 'https://x.example/a' }, 't1')).toBe('https://x.example/a/tables/t1/');
  expect(newFile(HERE, 'a', 'b')).toBe(null);
  expect(newFile(THERE, 'tables/t1/moves/a.json', '{"a": 1}\n')).toBe(
    'https://github.com/anna/games/new/main?filename=tables%2Ft1%2Fmoves%2Fa.json&value=%7B%22a%22%3A%201%7D%0A',
  );
});

test('the page looks less and less often, and seldom unseen', () => {
  const seen = { changed: false, hidden: false };
  expect(pause(FIRST_MS, seen)).toBe(1.5 * FIRST_MS);
  expect(pause(MOST_MS, seen)).toBe(MOST_MS);
  expect(pause(MOST_MS, { ...seen, changed: true })).toBe(FIRST_MS);
  expect(pause(FIRST_MS, { changed: true, hidden: true })).toBe(MOST_MS);
  expect(pause(HIDDEN_MS, { ...seen, hidden: true })).toBe(HIDDEN_MS);
});
