import { check, Unfair } from './check';
import { list, shared, type Proof } from './proof';

/** What a page was told while the game went on. */
export interface Promised {
  dice: string | null;
  roots: ReadonlySet<string>;
}

export interface Verdict {
  /** What does not fit; null: all does. */
  unfair: Unfair | null;
  draws: number;
  hands: number;
  links: number;
  /** Whether the fingerprints are those that were told; null: not all were. */
  promised: boolean | null;
  /** Whether a player has put something into every draw and every hand. */
  shared: boolean;
}

/** Works everything out again, and compares it with what was told. */
export function examine(proof: Proof, { dice, roots }: Promised): Verdict {
  const thrown = list(proof.dice);
  const hands = list(proof.cards);
  const draws = thrown.flatMap(({ draws }) => draws);
  const told = dice !== null && hands.every(({ root }) => roots.has(root));
  const kept = dice === null || thrown.every(({ commitment }) => commitment === dice);
  let unfair: Unfair | null = null;
  try {
    check(proof);
  } catch (error) {
    unfair = error as Unfair;
  }
  return {
    unfair,
    draws: draws.length,
    hands: hands.length,
    links: list(proof.chain).flatMap(({ released }) => released).length,
    promised: kept ? told || null : false,
    shared: [...draws, ...hands].every(shared),
  };
}
