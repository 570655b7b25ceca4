import type { Language, Me, Say, Tell } from '$wire';
import { t } from '../i18n';
import { ask } from '../net/ask';
import { Connection, type Answer, type Line, type Told } from '../net/connection';
import { Refused } from '../net/refused';
import { prefs } from './prefs.svelte';
import { observe } from './time.svelte';

const TOKEN = 'token';

function guestName(): string {
  return `${t('guest')} ${1000 + Math.floor(Math.random() * 899_000)}`;
}

/** Who somebody is, and the line to the server. */
class Session {
  me = $state.raw<Me | null>(null);
  line = $state<Line>('connecting');
  /** The tables with games that go on at which one sat when the line was opened. */
  tables = $state.raw<string[]>([]);

  private readonly hears: ((tell: Tell) => void)[] = [];
  private readonly welcomes: (() => void)[] = [];
  private readonly connection = new Connection(
    `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`,
    {
      line: (line) => (this.line = line),
      welcome: (welcome) => this.welcomed(welcome),
      told: (tell) => this.hears.forEach((hear) => hear(tell)),
      hello: (refused) => {
        if (refused?.code === 'bad_token') localStorage.removeItem(TOKEN);
        const token = localStorage.getItem(TOKEN);
        return token ? { token } : { name: guestName(), language: prefs.language };
      },
    },
  );

  open(): void {
    this.connection.open();
  }

  say<T extends Say>(say: T): Promise<Answer<T['type']>> {
    return this.connection.say(say as never) as Promise<Answer<T['type']>>;
  }

  /** Hears everything that comes by itself. */
  hear(hear: (tell: Tell) => void): void {
    this.hears.push(hear);
  }

  /** Is called whenever the line is open again, before anything else is said. */
  welcome(welcome: () => void): void {
    this.welcomes.push(welcome);
  }

  private welcomed({ me, token, tables, now_ms }: Told<'welcome'>): void {
    observe(now_ms);
    if (token) localStorage.setItem(TOKEN, token);
    this.me = me;
    this.tables = tables;
    if (me.language !== prefs.language) void this.speak(prefs.language).catch(() => {});
    this.welcomes.forEach((welcome) => welcome());
  }

  /** What is on the account now. */
  async refresh(): Promise<void> {
    this.me = (await this.say({ type: 'account' })).me;
  }

  async speak(language: Language): Promise<void> {
    prefs.language = language;
    this.me = (await this.say({ type: 'account', language })).me;
  }

  /** Becomes another guest. The old one is given up only when the name is free. */
  async rename(name: string): Promise<void> {
    const body = JSON.stringify({ id: 'name', type: 'hello', version: 1, name, language: prefs.language });
    const tell = await ask<Tell>('/api/say', { method: 'POST', body });
    if (tell.type !== 'welcome' || !tell.token) throw new Refused('broken', 'no welcome');
    localStorage.setItem(TOKEN, tell.token);
    this.connection.open();
  }

  /** Asks over HTTP, as the one who one is. */
  get<T>(path: string): Promise<T> {
    const token = localStorage.getItem(TOKEN);
    return ask<T>(path, token ? { headers: { authorization: `Bearer ${token}` } } : {});
  }
}

export const session = new Session();
