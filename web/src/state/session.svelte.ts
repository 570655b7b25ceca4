import type { Language, Me, Say, Tell } from '$wire';
import { sentence, t } from '../i18n';
import { ask } from '../net/ask';
import { Connection, VERSION, type Answer, type Line, type Told } from '../net/connection';
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
  /** How often the line was opened: what is asked over HTTP is asked again then. */
  opened = $state(0);
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

  /** Looks whether the line lives whenever the browser has reason to doubt it. */
  heed(): void {
    addEventListener('offline', () => this.connection.cut());
    addEventListener('online', () => this.connection.probe());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.connection.probe();
    });
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
    this.opened += 1;
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
    await this.enter({ type: 'hello', version: VERSION, name, language: prefs.language });
  }

  /** Becomes the one who has this name and password. */
  async login(name: string, password: string): Promise<void> {
    await this.enter({ type: 'login', version: VERSION, name, password });
  }

  /** Keeps the account, with its name, under a password; or gives it a new one. */
  async claim(password: string): Promise<void> {
    await this.say({ type: 'claim', password });
    await this.refresh();
  }

  /** Gives up the token of this browser, and goes on as a new guest. */
  async logout(): Promise<void> {
    await this.say({ type: 'logout' });
    localStorage.removeItem(TOKEN);
    this.connection.open();
  }

  /** Comes in anew. Who one was is given up only when that is granted. */
  private async enter(say: Extract<Say, { type: 'hello' | 'login' }>): Promise<void> {
    const answer = await ask('/api/say', { method: 'POST', body: JSON.stringify({ id: 'enter', ...say }) });
    const { token } = (await answer.json()) as Told<'welcome'>;
    if (token) localStorage.setItem(TOKEN, token);
    this.connection.open();
  }

  /** What is at an address of the server, as one may see it. */
  async get<T>(path: string): Promise<T> {
    return (await this.ask(path)).json() as Promise<T>;
  }

  /** The same, once the line was opened; and anew when it is opened again. */
  asked<T>(path: string): Promise<T> {
    return this.opened === 0 ? new Promise<never>(() => {}) : this.get<T>(path);
  }

  /** The same, where it is a text. */
  async text(path: string): Promise<string> {
    return (await this.ask(path)).text();
  }

  private ask(path: string): Promise<Response> {
    const token = localStorage.getItem(TOKEN);
    return ask(path, token ? { headers: { authorization: `Bearer ${token}` } } : {});
  }
}

export const session = new Session();
