import type { Request, Say, Tell } from '$wire';
import { Refused } from './refused';

export type Told<K extends Tell['type']> = Extract<Tell, { type: K }>;
type Saying<K extends Say['type']> = Extract<Say, { type: K }>;

/** What answers what; everything else is answered with `done`. */
interface Answers {
  hello: 'welcome';
  login: 'welcome';
  account: 'account';
  lobby: 'tables';
  create: 'created';
  sit: 'seated';
  proof: 'proof';
}
export type Answer<K extends Say['type']> = Told<K extends keyof Answers ? Answers[K] : 'done'>;

/** `lost`: it will be tried again by itself. `shut`: it will not. */
export type Line = 'connecting' | 'open' | 'lost' | 'shut';

export interface Listener {
  /** The line has changed. */
  line(line: Line): void;
  /** Somebody is known again: watch what is to be watched. Moves without an answer follow. */
  welcome(welcome: Told<'welcome'>): void;
  /** What comes by itself. */
  told(tell: Tell): void;
  /** With what to say hello, each time. `refused` tells why the last one was of no use. */
  hello(refused: Refused | null): Omit<Saying<'hello'>, 'type' | 'version'>;
}

interface Pending {
  request: Request;
  done(tell: Tell): void;
  failed(why: Refused): void;
}

/** Of the protocol. */
export const VERSION = 1;
const FIRST_RETRY_MS = 400;
const LONGEST_RETRY_MS = 15_000;
/** A line on which nothing comes for so long after a question is dead, whatever the socket says. */
const SILENCE_MS = 5_000;
const CONNECT_MS = 15_000;

/** Refusals of `hello` after which another one may do. */
const ANOTHER_HELLO = ['bad_token', 'name_taken', 'bad_name'];

/**
 * The one socket of the page: numbers what is said, finds the answer to it, and comes back by
 * itself when it is lost.
 */
export class Connection {
  private socket: WebSocket | null = null;
  private ready = false;
  private waiting = new Map<string, Pending>();
  private count = 0;
  private tries = 0;
  private shut = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;
  /** No other connection of this account has the same. */
  private readonly prefix = Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

  constructor(
    private readonly url: string,
    private readonly listener: Listener,
  ) {}

  /** Connects, or does it anew. */
  open(): void {
    this.shut = false;
    this.drop();
    this.listener.line('connecting');
    const socket = new WebSocket(this.url);
    this.socket = socket;
    this.listen(socket, CONNECT_MS);
    socket.onopen = () => void this.hello(null);
    socket.onmessage = (event) => this.read(JSON.parse(String(event.data)) as Tell);
    socket.onclose = () => this.lost(socket);
  }

  /** Whether the line still lives: asks when it is open, and connects at once when it is lost. */
  probe(): void {
    if (this.ready) void this.send({ type: 'ping' }).catch(() => {});
    else if (!this.socket && !this.shut) this.open();
  }

  /** The browser says that there is no network: the socket would notice much later. */
  cut(): void {
    if (this.socket) this.lost(this.socket);
  }

  close(): void {
    this.shut = true;
    this.drop();
    this.listener.line('shut');
  }

  /** Says something, and gives its answer. A move is said again after a lost line, others fail. */
  say<K extends Say['type']>(say: Saying<K>): Promise<Answer<K>> {
    if (!this.ready && say.type !== 'play') return Promise.reject(lost());
    return this.send(say) as Promise<Answer<K>>;
  }

  private send(say: Say): Promise<Tell> {
    const request = { id: `${this.prefix}-${++this.count}`, ...say } as Request;
    return new Promise((done, failed) => {
      this.waiting.set(request.id, { request, done, failed });
      if (this.ready || say.type === 'hello') this.post(request);
    });
  }

  private post(request: Request): void {
    if (!this.socket) return;
    this.socket.send(JSON.stringify(request));
    if (this.silence === undefined) this.listen(this.socket);
  }

  /** Something has to come within a while. */
  private listen(socket: WebSocket, ms = SILENCE_MS): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.lost(socket), ms);
  }

  /** Something has come: whatever else is asked has its time anew. */
  private heard(): void {
    clearTimeout(this.silence);
    this.silence = undefined;
    if (this.socket && this.waiting.size > 0) this.listen(this.socket);
  }

  private async hello(before: Refused | null): Promise<void> {
    try {
      const say = { type: 'hello', version: VERSION, ...this.listener.hello(before) } as const;
      const welcome = (await this.send(say)) as Told<'welcome'>;
      this.tries = 0;
      this.ready = true;
      this.listener.line('open');
      const plays = [...this.waiting.values()];
      this.listener.welcome(welcome);
      for (const { request } of plays) this.post(request);
    } catch (error) {
      if (!(error instanceof Refused) || error.code === 'lost') return;
      if (ANOTHER_HELLO.includes(error.code) && ++this.tries < 8) return this.hello(error);
      if (error.code === 'other_version') return this.close();
      this.socket?.close();
    }
  }

  private read(tell: Tell): void {
    const id = 'id' in tell ? tell.id : undefined;
    const pending = id === undefined ? undefined : this.waiting.get(id);
    if (id !== undefined) this.waiting.delete(id);
    this.heard();
    if (!pending) return this.listener.told(tell);
    if (tell.type === 'refused') pending.failed(new Refused(tell.code, tell.text, tell.facts));
    else pending.done(tell);
  }

  private lost(socket: WebSocket): void {
    if (socket !== this.socket) return;
    this.drop();
    const longest = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(this.tries++, 10));
    this.listener.line('lost');
    this.timer = setTimeout(() => this.open(), longest * (0.5 + Math.random() / 2));
  }

  private drop(): void {
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    this.silence = undefined;
    const socket = this.socket;
    this.socket = null;
    this.ready = false;
    if (socket) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    }
    for (const [id, { request, failed }] of this.waiting) {
      if (request.type === 'play') continue;
      this.waiting.delete(id);
      failed(lost());
    }
  }
}

function lost(): Refused {
  return new Refused('lost', 'the connection is lost');
}
