/** For tests: what a real server told in the golden session of the game. */
import { readFileSync } from 'node:fs';
import type { Legal, Sight, View } from './types';

interface Update {
  view: View;
  legal: Legal;
  ask: number | null;
  sights: Sight[];
}

export function updates(who: string): Update[] {
  return readFileSync('../conformance/protocol/backgammon.jsonl', 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { who?: string; told?: Update & { type: string } })
    .filter((line) => line.who === who && line.told?.type === 'update')
    .flatMap(({ told }) => told ?? []);
}
