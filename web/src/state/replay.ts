import type { Replay } from '$wire';
import { session } from './session.svelte';

/** All that one has seen of a table so far. */
export function replayOf(table: string, key: string | null): Promise<Replay> {
  const query = key === null ? '' : `?${new URLSearchParams({ key })}`;
  return session.get<Replay>(`/api/tables/${table}/replay${query}`);
}
