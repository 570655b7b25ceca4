import { Refused } from './refused';

/** Asks over HTTP. Throws `Refused` when the server says no, or is not there. */
export async function ask(path: string, request: RequestInit = {}): Promise<Response> {
  const answer = await fetch(path, request).catch(() => {
    throw new Refused('lost', 'the server does not answer');
  });
  if (answer.ok) return answer;
  const { code = 'broken', text = '', facts } = (await answer.json().catch(() => ({}))) as Partial<Refused>;
  throw new Refused(code, text, facts);
}
