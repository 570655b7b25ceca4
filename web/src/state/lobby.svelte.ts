import type { Access, Level, Listed } from '$wire';
import type { GameModule, Preset } from '../games/contract';
import { go, tableAddress } from '../routes/router.svelte';
import { session } from './session.svelte';
import { tableOf } from './table.svelte';

export interface Waiting {
  game: GameModule;
  preset: Preset;
  since: number;
}

/** What there is to choose from, and the ways to a chair. */
class Lobby {
  tables = $state.raw<Listed[]>([]);
  waiting = $state.raw<Waiting | null>(null);
  private watched = false;

  constructor() {
    session.hear((tell) => {
      if (tell.type === 'tables') this.tables = tell.tables;
      if (tell.type !== 'matched') return;
      this.waiting = null;
      go(tableAddress(tell.table));
    });
    session.welcome(() => {
      // Who waits is forgotten when the line is lost.
      const { waiting } = this;
      if (waiting) void this.queue(waiting.game, waiting.preset, waiting.game.chips?.usual, waiting.since).catch(() => {});
      if (this.watched) void this.watch(true).catch(() => {});
    });
  }

  async watch(watch: boolean): Promise<void> {
    this.watched = watch;
    if (session.line !== 'open') return;
    this.tables = (await session.say({ type: 'lobby', watch })).tables;
  }

  /** Opens a table for others, and shows its link. */
  async invite(game: GameModule, preset: Preset, access: Access, chips?: number): Promise<void> {
    tableOf(await this.create(game, preset, access, chips)).inviting = true;
  }

  /** Opens a table, sits down there and goes there. */
  private async create(game: GameModule, preset: Preset, access: Access, chips?: number): Promise<string> {
    const { table, key } = await session.say({
      type: 'create',
      game: game.key,
      seats: preset.seats ?? null,
      config: preset.config,
      options: preset.options ?? {},
      access,
    });
    tableOf(table).key = key ?? null;
    await tableOf(table).sit(undefined, chips);
    go(tableAddress(table, key));
    return table;
  }

  /** A table at which the house takes every other chair. */
  async house(game: GameModule, preset: Preset, level: Level, chips?: number): Promise<void> {
    const table = tableOf(await this.create(game, preset, 'private', chips));
    const free = table.chairs.filter((chair) => chair.is === 'open').length;
    for (let i = 0; i < free; i++) await table.house(level, undefined, chips);
  }

  /** Waits for a person. */
  async queue(game: GameModule, preset: Preset, chips?: number, since = Date.now()): Promise<void> {
    this.waiting = { game, preset, since };
    try {
      const { config } = preset;
      await session.say({ type: 'queue', game: game.key, config, chips, level: 'medium' });
    } catch (error) {
      this.waiting = null;
      throw error;
    }
  }

  async unqueue(): Promise<void> {
    this.waiting = null;
    await session.say({ type: 'unqueue' });
  }
}

export const lobby = new Lobby();
