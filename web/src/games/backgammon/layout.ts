/** Where everything lies on the board, in widths of a point. */
import { POINTS, type Place, type Seat } from './position';

const EDGE = 0.28;
const BAR = 1.04;
const GAP = 0.16;
const TRAY = 1.1;
const SLAB = 0.232;
const RADIUS = 0.46;
/** So many men lie side by side; from the next one on they are counted. */
export const STACK = 5;

export interface Spot {
  x: number;
  y: number;
}
export interface Box extends Spot {
  width: number;
  height: number;
}

const WIDTH = EDGE + 12 + BAR + GAP + TRAY + EDGE;

/** A board of 4:3, or a square one for a narrow screen, with the side of `bottom` below. */
export function layout(tall: boolean, bottom: Seat) {
  const height = tall ? WIDTH : (WIDTH * 3) / 4;
  const middle = height / 2;
  const apart = tall ? 1 : 0.94;
  const half = middle - EDGE;
  const length = tall ? 6 : 4.86;
  const barX = EDGE + 6;
  const trayX = EDGE + 12 + BAR + GAP;
  const trayHeight = 15 * SLAB + 0.12;
  const inner = middle - 0.56;

  const below = (seat: Seat) => seat === bottom;
  /** Points counted as the lower side walks: 0 above on the right, 23 below on the right. */
  const walked = (point: number) => (bottom === 0 ? point : 23 - point);
  const isLow = (point: number) => walked(point) > 11;
  const column = (point: number) => (isLow(point) ? walked(point) - 12 : 11 - walked(point));
  const left = (point: number) => EDGE + column(point) + (column(point) > 5 ? BAR : 0);
  /** A length from the outer edge, above or below. */
  const from = (low: boolean, far: number) => (low ? height - far : far);

  return {
    width: WIDTH,
    height,
    radius: RADIUS,
    slab: { width: TRAY - 0.2, height: SLAB - 0.035 },
    felts: [EDGE, EDGE + 6 + BAR].map((x): Box => ({ x, y: EDGE, width: 6, height: 2 * half })),
    point(point: number) {
      const low = isLow(point);
      const x = left(point);
      const base = from(low, EDGE);
      const tip = from(low, EDGE + length);
      return {
        dark: column(point) % 2 === (low ? 0 : 1),
        shape: `M${x + 0.03} ${base}L${x + 0.5} ${tip}L${x + 0.97} ${base}Z`,
      };
    },
    tray(seat: Seat): Box {
      return { x: trayX, y: below(seat) ? height - inner : inner - trayHeight, width: TRAY, height: trayHeight };
    },
    /** What is touched to mean a place. */
    box(place: Place, seat: Seat): Box {
      if (place === 'off') return { x: trayX - GAP / 2, y: below(seat) ? middle : 0, width: TRAY + GAP, height: middle };
      const x = place === 'bar' ? barX : left(place);
      const low = place === 'bar' ? below(seat) : isLow(place);
      return { x, y: low ? middle : EDGE, width: place === 'bar' ? BAR : 1, height: half };
    },
    /** Where the man lies that is number `n` at a place. */
    spot(place: Place, seat: Seat, n: number): Spot {
      const nth = Math.min(n, STACK - 1);
      if (place === 'off') {
        const far = inner - trayHeight + 0.06 + (n + 0.5) * SLAB;
        return { x: trayX + TRAY / 2, y: from(below(seat), far) };
      }
      if (place === 'bar') {
        const away = 0.62 + nth * 0.86;
        return { x: barX + BAR / 2, y: below(seat) ? middle + away : middle - away };
      }
      return { x: left(place) + 0.5, y: from(isLow(place), EDGE + 0.48 + nth * apart) };
    },
    /** The middle of die `i` of `n`: on the right for the lower side, on the left for the upper. */
    die(seat: Seat, i: number, n: number): Spot {
      const centre = below(seat) ? EDGE + 9 + BAR : EDGE + 3;
      return { x: centre + (i - (n - 1) / 2) * 1.22, y: middle };
    },
    cube(holder: Seat | null): Spot {
      const x = trayX + TRAY / 2;
      return { x, y: holder === null ? middle : from(below(holder), EDGE + 0.5) };
    },
    /** The next place in the direction of an arrow key. */
    neighbour(place: Place, seat: Seat, key: string): Place | null {
      const low = typeof place === 'number' ? isLow(place) : below(seat);
      const row: Place[] = POINTS.filter((point) => isLow(point) === low).sort((a, b) => left(a) - left(b));
      if (low === below(seat)) row.splice(6, 0, 'bar');
      if (low === below(seat)) row.push('off');
      const at = row.indexOf(place);
      if (key === 'ArrowLeft') return row[at - 1] ?? null;
      if (key === 'ArrowRight') return row[at + 1] ?? null;
      const wanted = key === 'ArrowDown';
      if (low === wanted || typeof place !== 'number') return null;
      return 23 - place;
    },
  };
}

export type Layout = ReturnType<typeof layout>;

/** How far a spot lies from a box; 0 inside. */
export function distance({ x, y }: Spot, box: Box): number {
  const dx = Math.max(box.x - x, 0, x - box.x - box.width);
  const dy = Math.max(box.y - y, 0, y - box.y - box.height);
  return Math.hypot(dx, dy);
}
