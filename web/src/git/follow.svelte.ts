import { readMatch, readMove, readPlays, readState, Unreadable, type Match, type Move, type Plays, type State } from './docs';
import { canHash, fingerprint } from './movefile';
import { FIRST_MS, pause } from './pace';
import { file, Missing } from './places';

/** A table as it is. */
export interface Seen {
  state: State;
  match: Match;
  /** What a move for it is made for; null if the browser makes no hashes. */
  expected: string | null;
  /** What may be played; null if that is not told. */
  plays: Plays['plays'];
  /** The move that led here. */
  last: Move | null;
}
export type Trouble = 'missing' | 'unreadable' | 'offline';

const optional = <T>(wanted: Promise<T>): Promise<T | null> => wanted.catch(() => null);

/** The last move of a state; moves never change. */
export const lastMove = (folder: string, { lastMove }: State): Promise<Move | null> =>
  lastMove ? optional(file(`${folder}moves/${lastMove.file}`, 'force-cache').then(readMove)) : Promise.resolve(null);

/** Looks at a table again and again. */
export class Follower {
  seen = $state.raw<Seen | null>(null);
  trouble = $state<Trouble | null>(null);
  private text: string | null = null;
  private wait = FIRST_MS;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private looking = false;
  private stopped = false;

  constructor(private readonly folder: string) {}

  /** Follows until what it gives back is called. */
  start(): () => void {
    const shown = () => document.hidden || this.hurry();
    document.addEventListener('visibilitychange', shown);
    window.addEventListener('online', shown);
    void this.again();
    return () => {
      this.stopped = true;
      clearTimeout(this.timer);
      document.removeEventListener('visibilitychange', shown);
      window.removeEventListener('online', shown);
    };
  }

  /** Something is about to change. */
  hurry(): void {
    this.wait = FIRST_MS;
    void this.again();
  }

  private async again(): Promise<void> {
    if (this.looking) return;
    clearTimeout(this.timer);
    this.looking = true;
    let changed = false;
    try {
      changed = await this.look();
      this.trouble = null;
    } catch (error) {
      this.trouble = error instanceof Missing ? 'missing' : error instanceof Unreadable ? 'unreadable' : 'offline';
    }
    this.looking = false;
    if (this.stopped) return;
    this.wait = pause(this.wait, { changed, hidden: document.hidden });
    this.timer = setTimeout(() => void this.again(), this.wait);
  }

  private async look(): Promise<boolean> {
    const text = await file(`${this.folder}state.json`);
    if (text === this.text) return false;
    const state = readState(text);
    const [match, legal, last] = await Promise.all([
      file(`${this.folder}match.json`).then(readMatch),
      optional(file(`${this.folder}legal.json`).then(readPlays)),
      lastMove(this.folder, state),
    ]);
    const expected = canHash() ? await fingerprint(state) : null;
    const fits = legal?.expectedState === expected;
    this.seen = { state, match, expected, last, plays: fits ? (legal?.plays ?? null) : null };
    // Files of two commits, caught in between, are read again.
    this.text = legal && expected && !fits ? null : text;
    return true;
  }
}
