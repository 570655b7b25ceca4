/** Real updates of a table, from the sessions of the conformance suite; for tests. */
import { readFileSync } from 'node:fs';
import type { Legal, Sight, View } from './types';

export interface Update {
  sights: Sight[];
  view: View;
  legal: Legal | null;
  ask: number | null;
}

/** What somebody was told of the table, in order. */
export function updates(who: string): Update[] {
  return readFileSync('../conformance/protocol/poker.jsonl', 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { who?: string; told?: { type: string } & Update })
    .flatMap(({ who: whose, told }) => (whose === who && told?.type === 'update' ? [told] : []));
}
