import type { Replay } from '$wire';
import { session } from './session.svelte';

/** All that one has seen of a table so far, in its parts. */
export async function replayOf(table: string, key: string | null): Promise<Replay> {
  const part = (from: number) => {
    const query = new URLSearchParams({ from: String(from), ...(key && { key }) });
    return session.get<Replay>(`/api/tables/${table}/replay?${query}`);
  };
  const whole = await part(0);
  while (whole.scenes.length < whole.count) {
    const { scenes } = await part(whole.scenes.length);
    if (scenes.length === 0) break;
    whole.scenes.push(...scenes);
  }
  return whole;
}
