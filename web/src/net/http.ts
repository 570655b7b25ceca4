import type { Tell } from '$wire';
import { Refused } from './refused';

/** What is asked over HTTP; rejects with `Refused`, also when nobody answers. */
export async function ask<T>(address: string, init?: RequestInit): Promise<T> {
  const answer = await fetch(address, init).catch(() => {
    throw new Refused('lost', 'nobody answers');
  });
  const told = (await answer.json().catch(() => null)) as Tell | null;
  if (answer.ok && told !== null) return told as T;
  if (told?.type === 'refused') throw new Refused(told.code, told.text, told.facts);
  throw new Refused('lost', `status ${answer.status}`);
}
