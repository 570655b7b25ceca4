/** Where things lie on the table, in percent of it. */
export interface Place {
  x: number;
  y: number;
}

export interface Spot {
  seat: Place;
  bet: Place;
}

export type Edge = 'top' | 'left' | 'right' | 'none';

/** The edge of an upright table at which a seat is. */
export function edge({ seat: { x, y } }: Spot): Edge {
  if (y < 15) return 'top';
  return x < 30 ? 'left' : x > 70 ? 'right' : 'none';
}

/** The heights of seats along a side of an upright table, from below: the board lies between. */
const SIDES: number[][] = [[], [23], [60, 23], [73, 56, 22]];

/** On an upright table: up the left side, along the top, down the right side; without the own seat. */
function upright(others: number): Spot[] {
  const tops = others === 9 ? 3 : others % 2 === 1 ? 1 : 2;
  const heights = SIDES[(others - tops) / 2] ?? [];
  const left = heights.map((y) => ({ seat: { x: 13, y }, bet: { x: 34, y } }));
  const right = heights.toReversed().map((y) => ({ seat: { x: 87, y }, bet: { x: 66, y } }));
  const top = Array.from({ length: tops }, (_, i) => {
    const x = tops === 1 ? 50 : tops === 2 ? [30, 70][i]! : [20, 50, 80][i]!;
    return { seat: { x, y: 7 }, bet: { x: 50 + (x - 50) * 0.7, y: 21 } };
  });
  return [...left, ...top, ...right];
}

/** On a lying table: around an oval from the own seat on, which is at the bottom. */
function lying(others: number): Spot[] {
  return Array.from({ length: others }, (_, i) => {
    const angle = ((i + 1) / (others + 1)) * 2 * Math.PI;
    const at = (rx: number, ry: number): Place => ({
      x: 50 - Math.sin(angle) * rx,
      y: 46 + Math.cos(angle) * ry,
    });
    return { seat: at(42, 38), bet: at(29, 22.5) };
  });
}

/** The places of all chairs, with one of them at the bottom. */
export function places(chairs: number, bottom: number): { upright: Spot; lying: Spot }[] {
  const own = (bet: number): Spot => ({ seat: { x: 50, y: 86 }, bet: { x: 50, y: bet } });
  const [tall, wide] = [upright(chairs - 1), lying(chairs - 1)];
  return Array.from({ length: chairs }, (_, chair) => {
    const i = (chair - bottom - 1 + chairs) % chairs;
    return { upright: tall[i] ?? own(66), lying: wide[i] ?? own(60) };
  });
}
