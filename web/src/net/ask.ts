import { Refused } from './refused';

/** Asks over HTTP. Throws `Refused` when the server says no, or is not there. */
export async function ask<T>(path: string, request: RequestInit = {}): Promise<T> {
  const answer = await fetch(path, request).catch(() => {
    throw new Refused('lost', 'the server does not answer');
  });
  const told = (await answer.json().catch(() => ({}))) as Record<string, unknown>;
  if (answer.ok && told.type !== 'refused') return told as T;
  const { code = 'broken', text = '', facts } = told as Partial<Refused>;
  throw new Refused(code, text, facts);
}
