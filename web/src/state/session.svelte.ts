import type { Language, Me, Say, Tell } from '$wire';
import { sentence, t } from '../i18n';
import { Connection, type Answer, type Line, type Told } from '../net/connection';
import { ask } from '../net/ask';
import { toast } from '../ui/notices.svelte';
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
  /** Whether the server said that it stops, before the line was lost. */
  stopping = $state(false);
  /** The tables with games that go on at which one sat when the line was opened. */
  tables = $state.raw<string[]>([]);

  private readonly hears: ((tell: Tell) => void)[] = [];
  private readonly welcomes: (() => void)[] = [];
  private readonly connection = new Connection(
    `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`,
    {
      line: (line) => {
        this.line = line;
        if (line === 'open') this.stopping = false;
      },
      welcome: (welcome) => this.welcomed(welcome),
      told: (tell) => {
        if (tell.type === 'bye' && tell.code === 'stopping') this.stopping = true;
        else if (tell.type === 'bye') toast(sentence(tell));
        this.hears.forEach((hear) => hear(tell));
      },
      hello: (refused) => {
        if (refused?.code === 'bad_token') {
          localStorage.removeItem(TOKEN);
          toast(sentence(refused));
        }
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

  /** Asks over HTTP, as oneself. */
  get<T>(address: string): Promise<T> {
    const token = localStorage.getItem(TOKEN);
    return ask<T>(address, token ? { headers: { authorization: `Bearer ${token}` } } : {});
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
    const tell = await ask<Told<'welcome'>>('/api/say', {
      method: 'POST',
      body: JSON.stringify({ id: 'name', type: 'hello', version: 1, name, language: prefs.language }),
    });
    if (tell.token) localStorage.setItem(TOKEN, tell.token);
    this.connection.open();
  }
}

export const session = new Session();
