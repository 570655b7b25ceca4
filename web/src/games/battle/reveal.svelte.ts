import { cardsOf, hpOf, type Pair, type Sight, type Slot, type View } from './types';

/** A pair that lies open, and what became of the HP by it; null if that was not seen. */
export interface Turned {
  cards: Pair<Slot>;
  change: Pair<number> | null;
}

/** How long the last pair of a round is looked at. */
export const LOOK_MS = 2000;

/**
 * The round that is shown, or was shown last. The table may be further already: the last pair of a
 * round comes together with the next round.
 */
export class Reveal {
  pairs = $state.raw<Turned[]>([]);
  /** Whether the last pair is still being looked at. */
  looking = $state(false);
  private before: View;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(view: View) {
    this.before = view;
    this.known(view);
  }

  /** One update more. Gives whether a pair was turned that nobody has seen yet. */
  see(view: View, sights: Sight[], fresh: boolean): boolean {
    const steps = sights.filter((sight) => sight.type === 'step_reveal');
    if (steps.length === 0 && view.roundIndex !== this.before.roundIndex) this.pairs = [];
    let was = hpOf(this.before);
    for (const step of steps) {
      const hp = hpOf(step);
      const change: Pair<number> = [hp[0] - was[0], hp[1] - was[1]];
      this.pairs = [...this.pairs.slice(0, step.step - 1), { cards: cardsOf(step), change }];
      was = hp;
    }
    this.known(view);
    this.before = view;
    const news = fresh && steps.length > 0;
    if (news && view.phase !== 'REVEAL') this.look();
    return news;
  }

  /** The pairs of a round that is being shown are those the table has. */
  private known(view: View): void {
    if (view.phase !== 'REVEAL') return;
    const { pairs } = this;
    this.pairs = view.revealed.map((pair, at) => pairs[at] ?? { cards: cardsOf(pair), change: null });
  }

  private look(): void {
    this.looking = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.pass(), LOOK_MS);
  }

  /** Enough of it. */
  pass(): void {
    clearTimeout(this.timer);
    this.looking = false;
  }
}
