import { untrack } from 'svelte';

/** What is said once, and passes: to be seen, and to be heard by who does not see. */
interface Notice {
  key: number;
  text: string;
}

const SHOWN_MS = 5000;

let toasts = $state.raw<Notice[]>([]);
let spoken = $state.raw<Notice[]>([]);
let count = 0;

export const notices = {
  get toasts() {
    return toasts;
  },
  get spoken() {
    return spoken;
  },
};

/** Shows a sentence for a while. */
export function toast(text: string): void {
  const key = ++count;
  const others = untrack(() => toasts).filter((other) => other.text !== text);
  toasts = [...others, { key, text }].slice(-3);
  setTimeout(() => (toasts = toasts.filter((other) => other.key !== key)), SHOWN_MS);
}

/** Lets a screen reader say a sentence, behind those it says already. */
export function announce(text: string): void {
  spoken = [...untrack(() => spoken), { key: ++count, text }].slice(-8);
}

/** What was said of a place is of no use at the next one. */
export function hush(): void {
  spoken = [];
}
