import type { Request, Tell } from '$wire';
import { beforeEach, expect, test, vi } from 'vitest';
import { Connection, type Line } from '../src/net/connection';
import { Refused } from '../src/net/refused';

/** A socket whose other end is the test. */
class Socket {
  static all: Socket[] = [];
  static get last(): Socket {
    return Socket.all.at(-1) as Socket;
  }
  heard: Request[] = [];
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  constructor(readonly url: string) {
    Socket.all.push(this);
  }
  send(text: string) {
    this.heard.push(JSON.parse(text) as Request);
  }
  close() {}
  tell(tell: object) {
    this.onmessage?.({ data: JSON.stringify(tell) });
  }
}

const welcome = { type: 'welcome', version: 1, me: {}, tables: [], now_ms: 0 };
const flush = () => new Promise((done) => setImmediate(done));
let lines: Line[];
let told: Tell[];
let hellos: (string | null)[];
let connection: Connection;

beforeEach(() => {
  Socket.all = [];
  lines = [];
  told = [];
  hellos = [];
  vi.stubGlobal('WebSocket', Socket);
  connection = new Connection('ws://here/ws', {
    line: (line) => lines.push(line),
    welcome: () => void connection.say({ type: 'watch', table: 't-1' }).catch(() => {}),
    told: (tell) => told.push(tell),
    hello: (refused) => {
      hellos.push(refused?.code ?? null);
      return { name: 'Anna' };
    },
  });
});

async function greeted() {
  const socket = Socket.last;
  socket.onopen?.();
  socket.tell({ ...welcome, id: socket.heard.at(-1)?.id });
  await flush();
  return socket;
}

test('an answer finds its question, and news find the listener', async () => {
  connection.open();
  const socket = await greeted();
  const asked = connection.say({ type: 'ping' });
  socket.tell({ type: 'left', table: 't-1', code: 'left', text: '' });
  socket.tell({ type: 'done', id: socket.heard.at(-1)?.id });
  expect((await asked).type).toBe('done');
  expect(told.map((tell) => tell.type)).toEqual(['left']);
});

test('a refusal has its code and facts', async () => {
  connection.open();
  const socket = await greeted();
  const asked = connection.say({ type: 'ping' });
  socket.tell({ type: 'refused', id: socket.heard.at(-1)?.id, code: 'slow_down', text: 'wait', facts: { x: 1 } });
  await expect(asked).rejects.toMatchObject({ code: 'slow_down', facts: { x: 1 } });
});

test('after a lost line a move is said again behind what is watched, with its id; others fail', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  connection.open();
  const first = await greeted();
  const move = connection.say({ type: 'play', table: 't-1', command: {} });
  const id = first.heard.at(-1)?.id;
  const other = connection.say({ type: 'ping' });
  first.onclose?.();
  await expect(other).rejects.toBeInstanceOf(Refused);
  vi.advanceTimersByTime(1000);
  vi.useRealTimers();
  const second = await greeted();
  expect(second.heard.map((request) => request.type)).toEqual(['hello', 'watch', 'play']);
  expect(second.heard.at(-1)?.id).toBe(id);
  second.tell({ type: 'done', id });
  await move;
  expect(lines).toEqual(['connecting', 'open', 'lost', 'connecting', 'open']);
});

test('a token that is worth nothing is not the end', async () => {
  connection.open();
  Socket.last.onopen?.();
  Socket.last.tell({ type: 'refused', id: Socket.last.heard.at(-1)?.id, code: 'bad_token', text: '' });
  await flush();
  await greeted();
  expect(hellos.slice(0, 2)).toEqual([null, 'bad_token']);
});

test('a line that answers nothing is lost, and one that answers is not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  connection.open();
  const socket = await greeted();
  socket.tell({ type: 'done', id: socket.heard.at(-1)?.id });
  vi.advanceTimersByTime(60_000);
  expect(lines.at(-1)).toBe('open');

  connection.probe();
  vi.advanceTimersByTime(4000);
  socket.tell({ type: 'done', id: socket.heard.at(-1)?.id });
  vi.advanceTimersByTime(60_000);
  expect(lines.at(-1)).toBe('open');

  const asked = connection.say({ type: 'ping' });
  vi.advanceTimersByTime(5000);
  expect(lines.at(-1)).toBe('lost');
  await expect(asked).rejects.toMatchObject({ code: 'lost' });
  vi.advanceTimersByTime(1000);
  expect(Socket.all.length).toBe(2);
  vi.useRealTimers();
});

test('without a network the line is lost at once, and tried at once when there is one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  connection.open();
  await greeted();
  connection.cut();
  expect(lines.at(-1)).toBe('lost');
  connection.probe();
  await greeted();
  expect(lines.at(-1)).toBe('open');
  connection.close();
  connection.probe();
  expect(lines.at(-1)).toBe('shut');
  vi.useRealTimers();
});
