import type { Access, Level, Listed } from '$wire';
import { isGame, load } from '../games';
import type { GameModule, Preset } from '../games/contract';
import { go, tableAddress } from '../routes/router.svelte';
import { session } from './session.svelte';
import { tableOf } from './table.svelte';

export interface Waiting {
  game: GameModule;
  preset: Preset;
  ranked: boolean;
  since: number;
}

/** What one waits for, kept while the page is loaded anew. */
const WAITING = 'waiting';

/** What there is to choose from, and the ways to a chair. */
class Lobby {
  tables = $state.raw<Listed[]>([]);
  waiting = $state.raw<Waiting | null>(null);
  private watched = false;

  constructor() {
    session.hear((tell) => {
      if (tell.type === 'tables') this.tables = tell.tables;
      if (tell.type !== 'matched') return;
      this.wait(null);
      go(tableAddress(tell.table));
    });
    session.welcome(() => {
      // Who waits is forgotten when the line is lost.
      void this.requeue().catch(() => {});
      if (this.watched) void this.watch(true).catch(() => {});
    });
  }

  async watch(watch: boolean): Promise<void> {
    this.watched = watch;
    if (session.line !== 'open') return;
    this.tables = (await session.say({ type: 'lobby', watch })).tables;
  }

  /** Opens a table for others, and shows its link. */
  async invite(game: GameModule, preset: Preset, access: Access): Promise<void> {
    tableOf(await this.create(game, preset, access)).inviting = true;
  }

  /** Opens a table, sits down there and goes there. */
  private async create(game: GameModule, preset: Preset, access: Access): Promise<string> {
    const { table, key } = await session.say({
      type: 'create',
      game: game.key,
      seats: preset.seats ?? null,
      config: preset.config,
      options: preset.options ?? {},
      access,
    });
    tableOf(table).key = key ?? null;
    await tableOf(table).sit(undefined, game.chips?.usual);
    go(tableAddress(table, key));
    return table;
  }

  /** A table at which the house takes every other chair. */
  async house(game: GameModule, preset: Preset, level: Level, ranked: boolean): Promise<void> {
    const chips = game.chips?.usual;
    const table = tableOf(await this.create(game, preset, ranked ? 'ranked' : 'private'));
    const free = table.chairs.filter((chair) => chair.is === 'open').length;
    for (let i = 0; i < free; i++) await table.house(level, undefined, chips);
  }

  /** Waits for a person. */
  async queue(game: GameModule, preset: Preset, ranked: boolean, since = Date.now()): Promise<void> {
    this.wait({ game, preset, ranked, since });
    try {
      const { config } = preset;
      const chips = game.chips?.usual;
      await session.say({ type: 'queue', game: game.key, config, ranked, chips, level: 'medium' });
    } catch (error) {
      this.wait(null);
      throw error;
    }
  }

  async unqueue(): Promise<void> {
    this.wait(null);
    await session.say({ type: 'unqueue' });
  }

  private wait(waiting: Waiting | null): void {
    this.waiting = waiting;
    if (waiting) sessionStorage.setItem(WAITING, JSON.stringify({ ...waiting, game: waiting.game.key }));
    else sessionStorage.removeItem(WAITING);
  }

  private async requeue(): Promise<void> {
    const kept = sessionStorage.getItem(WAITING);
    if (!kept) return;
    const { game, preset, ranked, since } = JSON.parse(kept) as Omit<Waiting, 'game'> & { game: string };
    if (isGame(game)) await this.queue(await load(game), preset, ranked, since);
  }
}

export const lobby = new Lobby();
