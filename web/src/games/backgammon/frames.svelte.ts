import { same, type Position } from './position';

/** How long a man takes from place to place. */
export const MOVE_MS = 200;

/** Shows positions one after the other, each as long as its move takes. */
export class Frames {
  shown: Position = $state.raw({ points: [], bar: [0, 0], off: [0, 0] });
  ms = $state(0);
  private waiting: Position[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** At once, and nothing moves. */
  jump(position: Position): void {
    this.stop();
    this.ms = 0;
    if (!same(this.shown, position)) this.shown = position;
  }

  /** Behind what is shown already. */
  follow(positions: readonly Position[]): void {
    for (const position of positions) {
      if (!same(this.waiting.at(-1) ?? this.shown, position)) this.waiting.push(position);
    }
    if (this.timer === undefined) this.next();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting = [];
  }

  private next(): void {
    this.timer = undefined;
    const position = this.waiting.shift();
    if (!position) return;
    this.ms = MOVE_MS;
    this.shown = position;
    this.timer = setTimeout(() => this.next(), MOVE_MS);
  }
}
