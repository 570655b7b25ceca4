/** How long to wait before looking again. */
export const FIRST_MS = 4_000;
export const MOST_MS = 60_000;
export const HIDDEN_MS = 300_000;

/** More and more seldom while nothing changes, and seldom where nobody sees it. */
export function pause(before: number, { changed, hidden }: { changed: boolean; hidden: boolean }): number {
  if (hidden) return Math.min(Math.max(before * 2, MOST_MS), HIDDEN_MS);
  return changed ? FIRST_MS : Math.min(before * 1.5, MOST_MS);
}
