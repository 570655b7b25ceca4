export type Place =
  | { at: 'lobby' }
  | { at: 'table'; table: string; key: string | null }
  | { at: 'replay'; table: string; key: string | null; at_ms: number | null }
  | { at: 'profile'; name: string | null }
  | { at: 'leaders' }
  | { at: 'nowhere' };

/** A part of an address, as it was before it was made one. */
function named(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** What an address leads to. */
export function placeOf(path: string, hash: string): Place {
  const [first = '', second = '', third = '', ...more] = path.split('/').slice(1);
  const key = hash.replace(/^#/, '') || null;
  if (first === 't' && second && !third) return { at: 'table', table: second, key };
  if (first === 'r' && second && /^\d*$/.test(third) && more.length === 0) {
    return { at: 'replay', table: second, key, at_ms: third ? Number(third) : null };
  }
  if (first === 'p' && !third) return { at: 'profile', name: named(second) || null };
  if (second) return { at: 'nowhere' };
  if (first === '') return { at: 'lobby' };
  if (first === 'leaders') return { at: 'leaders' };
  return { at: 'nowhere' };
}

export function tableAddress(table: string, key?: string | null): string {
  return `/t/${table}${key ? `#${key}` : ''}`;
}

/** What was played at a table, perhaps from a moment on: that is the same for all, whoever saw more of it. */
export function replayAddress(table: string, key?: string | null, at_ms?: number): string {
  return `/r/${table}${at_ms === undefined ? '' : `/${at_ms}`}${key ? `#${key}` : ''}`;
}

/** What everyone may know of somebody. */
export function playerAddress(name: string): string {
  return `/p/${encodeURIComponent(name)}`;
}

const here = (): Place => placeOf(location.pathname, location.hash);
let place = $state.raw<Place>(here());
addEventListener('popstate', () => (place = here()));

export const router = {
  get place(): Place {
    return place;
  },
};

export function go(address: string): void {
  if (address !== location.pathname + location.hash) history.pushState(null, '', address);
  place = here();
  scrollTo(0, 0);
}

/** Links within the page do not load it anew. */
export function follow(event: MouseEvent): void {
  const link = (event.target as Element).closest?.('a');
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
  if (!link || !plain || event.defaultPrevented || link.target || link.hasAttribute('download')) return;
  if (link.origin !== location.origin || link.pathname.startsWith('/api')) return;
  event.preventDefault();
  go(link.pathname + link.hash);
}
