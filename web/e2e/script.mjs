// Somebody without a browser: a script over HTTP.
import assert from 'node:assert/strict';

export class Script {
  static async guest(house, name) {
    const script = new Script();
    script.url = house.url;
    script.count = 0;
    script.token = (await script.say({ type: 'hello', version: 1, name })).token;
    return script;
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
