import { Refused } from '../net/refused';
import type { GameKey, GameModule } from './contract';

/** Every game of the page, fetched when it is needed. */
const LIST: Record<GameKey, () => Promise<{ game: unknown }>> = {
  backgammon: () => import('./backgammon'),
  battle: () => import('./battle'),
  gomoku: () => import('./gomoku'),
  poker: () => import('./poker'),
};

export function isGame(key: string): key is GameKey {
  return Object.hasOwn(LIST, key);
}

/** The game, without the types of its messages: only the game itself looks into them. */
export async function load(key: GameKey): Promise<GameModule> {
  const part = await LIST[key]().catch((error: unknown) => {
    throw new Refused('unloaded', String(error));
  });
  return part.game as GameModule;
}
