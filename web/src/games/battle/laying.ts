import type { Card, Layout, Slot } from './types';

export const EMPTY: Layout = [null, null, null];

/** The slot in which each card of the hand lies; null: it is in the hand. */
export function places(hand: readonly Card[], layout: Layout): (number | null)[] {
  const free = new Set(layout.keys());
  return hand.map((card) => {
    const at = [...free].find((slot) => layout[slot] === card);
    if (at === undefined) return null;
    free.delete(at);
    return at;
  });
}

export function put(layout: Layout, slot: number, card: Slot): Layout {
  return layout.map((other, at) => (at === slot ? card : other)) as Layout;
}

/** Two slots exchanged. */
export function exchange(layout: Layout, a: number, b: number): Layout {
  return put(put(layout, a, layout[b] ?? null), b, layout[a] ?? null);
}

export function firstEmpty(layout: Layout): number | null {
  const at = layout.indexOf(null);
  return at < 0 ? null : at;
}
