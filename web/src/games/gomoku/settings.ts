/** The options of a new table beside its rule, as a person is shown them. */
import type { Preset } from '../contract';

export const SIZES = [15, 19, 20] as const;
/** Seconds for a move. */
export const TIMES = [15, 30, 60, 180] as const;

export interface Settings {
  size: (typeof SIZES)[number];
  swap2: boolean;
  /** Best of three. */
  series: boolean;
  seconds: (typeof TIMES)[number];
}

interface Config {
  board_size?: Settings['size'];
  swap2Enabled?: boolean;
  match?: number;
  clock?: { per_move: { per_move_ms: number } };
}

/** What will be played. Where it counts the server lets every game open with Swap 2. */
export function settingsOf(preset: Preset, ranked: boolean): Settings {
  const config = preset.config as Config;
  const ms = config.clock?.per_move.per_move_ms;
  return {
    size: config.board_size ?? 15,
    swap2: ranked || (config.swap2Enabled ?? false),
    series: (config.match ?? (ranked ? 2 : 0)) > 0,
    seconds: TIMES.find((seconds) => seconds * 1000 === ms) ?? 60,
  };
}

/** The preset with some settings changed, and all others as they were. */
export function changed(preset: Preset, change: Partial<Settings>): Preset {
  const { size, swap2, series, seconds } = change;
  const config: Config = { ...preset.config };
  if (size !== undefined) config.board_size = size;
  if (swap2 !== undefined) config.swap2Enabled = swap2;
  if (series !== undefined) config.match = series ? 2 : 0;
  if (seconds !== undefined) config.clock = { per_move: { per_move_ms: seconds * 1000 } };
  return { ...preset, config: { ...config } };
}
