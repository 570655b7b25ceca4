// Somebody without a browser: a script over HTTP.
import assert from 'node:assert/strict';

export class Script {
  count = 0;

  constructor(url, token) {
    this.url = url;
    this.token = token;
  }

  static async guest({ url }, name) {
    const { token } = await new Script(url).say({ type: 'hello', version: 1, name });
    return new Script(url, token);
  }

  async ask(path, init = {}) {
    const headers = this.token ? { authorization: `Bearer ${this.token}` } : {};
    return (await fetch(this.url + path, { headers, ...init })).json();
  }

  async say(say) {
    const id = `s${++this.count}`;
    const tell = await this.ask('/api/say', { method: 'POST', body: JSON.stringify({ id, ...say }) });
    assert.notEqual(tell.type, 'refused', JSON.stringify([say, tell]));
    return tell;
  }

  look(table) {
    return this.ask(`/api/tables/${table}`);
  }

  /** Waits until it is asked, and answers. */
  async play(table, command) {
    const until = Date.now() + 10_000;
    while (Date.now() < until) {
      const { update } = await this.look(table);
      if (update?.ask != null) return this.say({ type: 'play', table, ask: update.ask, command });
      await new Promise((done) => setTimeout(done, 30));
    }
    throw new Error(`never asked at ${table}`);
  }
}

/** The table and the key of an address. */
export function tableOf(page) {
  const { pathname, hash } = new URL(page.url());
  return { table: pathname.split('/')[2], key: hash.slice(1) };
}
