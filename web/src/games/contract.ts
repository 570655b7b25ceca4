/**
 * What a game is to the page.
 *
 * The server holds the rules: a board draws `view`, offers what `legal` permits, and tells the
 * table what was chosen. Nothing here, and nothing in a board, decides what is allowed.
 */
import type { Clock, Level, Sitting } from '$wire';
import type { Component } from 'svelte';
import type { Dictionary, Translate, Words } from '../i18n/words';

/** The keys of the games, as the server knows them. */
export const GAMES = ['backgammon', 'poker', 'battle', 'gomoku'] as const;
export type GameKey = (typeof GAMES)[number];

/** The types of a game's own messages, as its page in `docs/` has them. */
export interface GameTypes {
  View: unknown;
  Legal: unknown;
  Command: { type: string };
  Sight: { type: string };
  Words: Words;
}

type Says<G extends GameTypes> = Translate<keyof G['Words'] & string>;

export interface BoardProps<G extends GameTypes = GameTypes> {
  /** All there is to see, whole with every update. */
  view: G['View'];
  /** What may be said now; null for a watcher. */
  legal: G['Legal'] | null;
  /** The number of the question one is asked; null: not asked, so do not light anything up. */
  ask: number | null;
  /** The own chair; null: watching. */
  seat: number | null;
  /** What the last update was seen to bring, in order. Each update is shown before the next. */
  sights: G['Sight'][];
  /** Whether `sights` are news: false after a reload or a lost line, when nothing is to move. */
  fresh: boolean;
  /** Counts the updates, from 1 on: another number is another update, even if it brings the same. */
  count: number;
  chairs: Sitting[];
  /** How to call who sits on a chair, in the reader's language; the own chair is "You". */
  names: string[];
  clocks: Clock[];
  /** When the table goes on by itself, by the server's clock. */
  until_ms: number | null;
  paused: boolean;
  /** The server's clock; not reactive. For what must tick, see `ticking` in `state/time.svelte.ts`. */
  now(): number;
  over: boolean;
  /** Whether it is only looked at again: then there is nothing to do, and no button for it. */
  past?: boolean;
  /** The options of the game, in full. */
  config: Record<string, unknown>;
  /** Whether the own side is to be drawn at the top. */
  flip: boolean;
  reducedMotion: boolean;
  /** The words of the game. */
  t: Says<G>;
  /**
   * Answers the question that is asked, or drafts an answer. Rejects with `Refused` when the server does; the sentence
   * that says why has been shown then, so a board only puts things back.
   */
  play(command: G['Command']): Promise<void>;
  /** Says what answers no question: to resign, to offer, to sit out. */
  interject(command: G['Command']): Promise<void>;
  /** What is on the own account besides, of what the game is played for. */
  balance: number;
  /** Brings more chips; where chips are brought along. */
  topUp(chips: number): Promise<void>;
  /** Sits down on a chair; where a board shows them, and one watches. */
  sit(seat: number, chips?: number): Promise<void>;
  /** Lets the house sit there. */
  house(level: Level, seat?: number, chips?: number): Promise<void>;
  /** Goes, and to the lobby. */
  leave(): Promise<void>;
}

/** Options with a name; the first one of a game is the quick one. Called `preset.KEY` in words. */
export interface Preset {
  key: string;
  config: Record<string, unknown>;
  seats?: number;
  /** Options of the table. */
  options?: Record<string, unknown>;
}

/** Changes the options of a new table. */
export interface OptionsProps<G extends GameTypes = GameTypes> {
  preset: Preset;
  /** Whether it will count for ratings. */
  ranked?: boolean;
  t: Says<G>;
  change(preset: Preset): void;
}

export interface Telling<G extends GameTypes = GameTypes> {
  /** As it is after the sights. */
  view: G['View'];
  /** As it was before them; null where that is not known. */
  before: G['View'] | null;
  seat: number | null;
  names: string[];
  t: Says<G>;
}

export interface Result {
  /** Null: nobody. */
  winner: number | null;
  /** How it came, in a sentence. */
  text: string;
  /** Who won, where it is neither somebody nor a draw. */
  title?: string | undefined;
}

export interface GameModule<G extends GameTypes = GameTypes> {
  key: GameKey;
  /** Has `preset.KEY` for every preset, and `refused.CODE` for every code of the rules. */
  words: Dictionary<G['Words']>;
  Board: Component<BoardProps<G>>;
  Options?: Component<OptionsProps<G>>;
  presets: [Preset, ...Preset[]];
  /** What each chair brings along, where chips are brought: the usual, the least, the most. */
  chips?: { usual: number; least: number; most: number };
  /** Whether the shell shows the two players above and below the board; otherwise the board does. */
  plates: boolean;
  /** Whether the same again can be offered. */
  rematch: boolean;
  /** What can be had of a table as files, by their names at the server; `file.NAME` in words. */
  files?: string[];
  /** What it is played for. */
  unit: 'chips' | 'tokens';
  /** How long the last update is looked at before the result lies over it. */
  looked_at_ms?: number;
  /** The chairs that are to act now: they are lit. */
  active(view: G['View']): number[];
  /** What stands beside a name on its plate: a colour, pips, a score. */
  note?(view: G['View'], seat: number, t: Says<G>): string;
  /** Sentences for the list of moves and for who listens. What tells nothing is left out. */
  describe(sights: G['Sight'][], telling: Telling<G>): string[];
  /** How it ended; null as long as it has not. */
  result(view: G['View'], telling: Telling<G>): Result | null;
}
