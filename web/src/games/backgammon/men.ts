/** Men that keep their names while they move, so that each can be followed by the eye. */
import { men, PLACES, type Place, type Position, type Seat } from './position';

export interface Man {
  id: number;
  seat: Seat;
  place: Place;
  /** Which man of its place it is, from the edge on. */
  nth: number;
}

/** The men of a position; those that stay are those that were. Who moved last lies on top. */
export function arrange(before: readonly Man[], position: Position): Man[] {
  const staying: Man[] = [];
  const moved: Man[] = [];
  let id = 1 + Math.max(-1, ...before.map((man) => man.id));
  for (const seat of [0, 1] as const) {
    const leaving: Man[] = [];
    for (const place of PLACES) {
      const here = before.filter((man) => man.seat === seat && man.place === place);
      const stay = men(position, place, seat);
      staying.push(...here.slice(0, stay));
      leaving.push(...here.slice(stay));
    }
    for (const place of PLACES) {
      const stayed = staying.filter((man) => man.seat === seat && man.place === place).length;
      for (let nth = stayed; nth < men(position, place, seat); nth++) {
        moved.push({ id: leaving.pop()?.id ?? id++, seat, place, nth });
      }
    }
  }
  const order = new Map(before.map((man, i) => [man.id, i]));
  staying.sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
  return [...staying, ...moved];
}
