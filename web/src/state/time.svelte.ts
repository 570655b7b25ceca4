import { createSubscriber } from 'svelte/reactivity';

let offset = -Infinity;

/** Learns the server's clock. What comes late tells too little, so the largest is the nearest. */
export function observe(now_ms: number): void {
  offset = Math.max(offset, now_ms - Date.now());
}

/** What time it is for the server, in milliseconds since 1970. */
export function now(): number {
  return Date.now() + (Number.isFinite(offset) ? offset : 0);
}

/** The server's time, for what is shown: anew so often while anybody looks. */
export function ticking(every_ms: number): { readonly now: number } {
  const subscribe = createSubscriber((update) => {
    const timer = setInterval(update, every_ms);
    return () => clearInterval(timer);
  });
  return {
    get now() {
      subscribe();
      return now();
    },
  };
}
