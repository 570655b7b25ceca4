/** What the server, or the page itself, says no with. */
export class Refused extends Error {
  constructor(
    readonly code: string,
    readonly text: string,
    readonly facts: Record<string, unknown> = {},
  ) {
    super(text);
  }
}

/** Whatever was thrown, as a refusal. */
export function refusal(error: unknown): Refused {
  return error instanceof Refused ? error : new Refused('broken', String(error));
}
