import type { Access, Clock, Level, Offer, Scene, Sitting, Tell } from '$wire';
import { SvelteMap } from 'svelte/reactivity';
import type { Told } from '../net/connection';
import { refusal } from '../net/refused';
import { replayOf } from './replay';
import { session } from './session.svelte';
import { observe } from './time.svelte';

export interface Said {
  from: string;
  text: string;
  at_ms: number;
}

/** One update, as a board is shown it. */
export interface Shown {
  count: number;
  sights: { type: string }[];
  fresh: boolean;
  view: unknown;
  legal: unknown;
  ask: number | null;
  clocks: Clock[];
  until_ms: number | null;
  paused: boolean;
}

/** How many scenes of a table are kept for its list of moves. */
const KEPT = 500;

/** One table, as it was last told. */
export class TableState {
  game = $state('');
  config = $state.raw<Record<string, unknown>>({});
  access = $state<Access>('open');
  chairs = $state.raw<Sitting[]>([]);
  seat = $state<number | null>(null);
  watchers = $state(0);
  over = $state(false);
  shown = $state.raw<Shown | null>(null);
  /** What was seen here, as far as it is kept; the last one is what is shown. */
  scenes = $state.raw<Scene[]>([]);
  chat = $state.raw<Said[]>([]);
  /** The chairs that want the same again. */
  wanting = $state.raw<number[]>([]);
  /** The chair that did not. */
  declined = $state<number | null>(null);
  /** Why one sits here no more. */
  left = $state<string | null>(null);
  /** Whether somebody is to be invited: the link is shown, until somebody comes. */
  inviting = $state(false);
  /** What lets others in, where it is private. */
  key: string | null = null;

  /** The fingerprints of chance that were told while the game went on. */
  readonly promised = { dice: null as string | null, roots: new Set<string>() };

  private live = false;
  private wanted = false;
  private resuming = false;
  private sealed = false;
  private count = 0;
  private place: { epoch: number; seq: number } | null = null;

  constructor(readonly id: string) {}

  /** Looks at the table from now on, until it is closed; also after a lost line. */
  async open(key: string | null): Promise<void> {
    this.wanted = true;
    this.left = null;
    this.key = key ?? this.key;
    if (!this.live && session.line === 'open') await this.watch();
  }

  /** Looks no more. Who sits there goes on sitting. */
  close(): void {
    this.wanted = false;
    if (this.live && this.seat === null) void this.leave().catch(() => {});
  }

  /** The line is open again: goes on where it was, perhaps as somebody else. */
  resume(sits: boolean): void {
    this.live = false;
    if (this.wanted || sits) void this.watch().catch(() => {});
    else this.seat = null;
  }

  /** One has a new table: of one where the game is over nothing more is told, until it is opened again. */
  passed(): void {
    if (!this.over) return;
    this.live = false;
    this.wanting = [];
  }

  private async watch(): Promise<void> {
    this.resuming = true;
    try {
      await session.say({ type: 'watch', table: this.id, key: this.key, ...this.place });
      this.live = true;
    } finally {
      this.resuming = false;
    }
  }

  hear(tell: Tell): void {
    switch (tell.type) {
      case 'table':
        return this.told(tell);
      case 'update':
        return this.updated(tell);
      case 'chat':
        this.chat = [...this.chat, tell];
        return;
      case 'offered':
        this.wanting = [...new Set([...this.wanting, tell.by])];
        this.declined = null;
        return;
      case 'declined':
        this.wanting = [];
        this.declined = tell.by;
        return;
      case 'left':
        this.left = tell.code;
        this.seat = null;
        this.live = false;
        this.place = null;
        return;
    }
  }

  private told(tell: Told<'table'>): void {
    this.live = true;
    if (this.seat !== tell.you) this.place = null;
    const filled = (chair: Sitting, at: number) => chair.is !== 'open' && this.chairs[at]?.is === 'open';
    if (tell.chairs.some((chair, at) => at !== tell.you && filled(chair, at))) this.inviting = false;
    this.named(tell.chairs);
    this.game = tell.game;
    this.config = tell.config;
    this.access = tell.access;
    this.chairs = tell.chairs;
    this.seat = tell.you;
    this.watchers = tell.watchers;
    this.over = tell.over;
    if (tell.you !== null) this.left = null;
    if (!tell.over && !this.sealed) void this.seal();
  }

  /** Who sits down is named behind the update in which it is seen. */
  private named(now: Sitting[]): void {
    const last = this.scenes.at(-1);
    if (!last?.chairs.some((chair) => chair.is === 'open')) return;
    const chairs = last.chairs.map((chair, at) => (chair.is === 'open' ? (now[at] ?? chair) : chair));
    this.scenes = [...this.scenes.slice(0, -1), { ...last, chairs }];
  }

  /** Asks what the house has committed to, so that it can be compared in the end. */
  private async seal(): Promise<void> {
    this.sealed = true;
    try {
      const { dice, root } = await session.say({ type: 'proof', table: this.id });
      this.promised.dice ??= dice;
      if (root) this.promised.roots.add(root);
    } catch {
      this.sealed = false;
    }
  }

  private updated(tell: Told<'update'>): void {
    observe(tell.now_ms);
    this.place = { epoch: tell.epoch, seq: tell.seq };
    if (tell.root) this.promised.roots.add(tell.root);
    this.shown = {
      count: ++this.count,
      sights: tell.sights as { type: string }[],
      fresh: !this.resuming && tell.sights.length > 0,
      view: tell.view,
      legal: tell.legal,
      ask: tell.ask,
      clocks: tell.clocks,
      until_ms: tell.until_ms,
      paused: tell.paused,
    };
    // Without sights it only shows how things stand: what led there is asked for.
    if (tell.sights.length === 0 && (this.count === 1 || this.resuming)) void this.recall();
    else if (tell.sights.length > 0) this.remember(tell);
  }

  private remember({ sights, view, now_ms: at_ms }: Told<'update'>): void {
    const scene: Scene = { at_ms, you: this.seat, chairs: this.chairs, sights, view };
    this.scenes = [...this.scenes, scene].slice(-KEPT);
  }

  /** Asks what has happened so far, until nothing has happened meanwhile. */
  private async recall(): Promise<void> {
    for (let tries = 0; tries < 4; tries++) {
      const { scenes } = await replayOf(this.id, this.key).catch(() => ({ scenes: [] }));
      const last = scenes.at(-1);
      if (!last) return;
      if (JSON.stringify(last.view) !== JSON.stringify(this.shown?.view)) continue;
      this.scenes = scenes.slice(-KEPT);
      return;
    }
  }

  async play(command: unknown): Promise<void> {
    const { ask = null, view } = this.shown ?? {};
    const say = (ask: number | null) =>
      session.say({ type: 'play', table: this.id, command, ...(ask !== null && { ask }) });
    await say(ask).catch((error: unknown) => {
      // After a restart the same question has another number.
      const now = this.shown;
      const same = now && now.ask !== null && JSON.stringify(now.view) === JSON.stringify(view);
      if (refusal(error).code === 'stale_ask' && same && now.ask !== ask) return say(now.ask);
      throw error;
    });
  }

  async interject(command: unknown): Promise<void> {
    await session.say({ type: 'play', table: this.id, command });
  }

  async sit(seat?: number, chips?: number): Promise<void> {
    await session.say({ type: 'sit', table: this.id, key: this.key, seat, chips });
    void session.refresh().catch(() => {});
  }

  async house(level: Level, seat?: number, chips?: number): Promise<void> {
    await session.say({ type: 'house', table: this.id, level, seat, chips });
  }

  async topUp(chips: number): Promise<void> {
    await session.say({ type: 'top_up', table: this.id, chips });
    await session.refresh();
  }

  async leave(): Promise<void> {
    await session.say({ type: 'leave', table: this.id });
    this.live = false;
    void session.refresh().catch(() => {});
  }

  async talk(text: string): Promise<void> {
    await session.say({ type: 'chat', table: this.id, text });
  }

  /** Fetches a file of what has happened here, and lets the browser keep it. */
  async save(file: string): Promise<void> {
    const key = this.key ? `?key=${this.key}` : '';
    const text = await session.text(`/api/tables/${this.id}/files/${file}${key}`);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text]));
    link.download = `${this.id}.${file}`;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  async offer(what: Offer): Promise<void> {
    await session.say({ type: 'offer', table: this.id, what });
  }

  async answer(what: Offer, accept: boolean): Promise<void> {
    await session.say({ type: 'answer', table: this.id, what, accept });
  }
}

const tables = new SvelteMap<string, TableState>();

/** The table of this name, known or not. */
export function tableOf(id: string): TableState {
  let table = tables.get(id);
  if (!table) tables.set(id, (table = new TableState(id)));
  return table;
}

/** The tables at which one sits, and whose games go on. */
export function seatedAt(): TableState[] {
  return [...tables.values()].filter((table) => table.seat !== null && !table.over);
}

session.hear((tell) => {
  if (tell.type === 'matched') for (const table of tables.values()) table.passed();
  else if ('table' in tell) tableOf(tell.table).hear(tell);
});

session.welcome(() => {
  session.tables.forEach(tableOf);
  for (const table of tables.values()) table.resume(session.tables.includes(table.id));
});
