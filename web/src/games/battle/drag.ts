import type { Attachment } from 'svelte/attachments';

export interface Dragged {
  /** Whether it may be taken up now. */
  free(): boolean;
  /** It is held over a slot, or over none. */
  over(slot: number | null): void;
  /** It is let go there. */
  drop(slot: number | null): void;
}

/** So far a finger may slip without meaning it. */
const SLIP = 6;

function slotAt(x: number, y: number): number | null {
  const slot = document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-own-slot]');
  return slot ? Number(slot.dataset.ownSlot) : null;
}

/** What can be dragged to a slot: it follows the finger, and a touch without a drag stays a click. */
export function dragged({ free, over, drop }: Dragged): Attachment<HTMLElement> {
  return (node) => {
    let from: { x: number; y: number } | null = null;
    let moving = false;

    const down = (event: PointerEvent) => {
      moving = false;
      if (event.button !== 0 || !free()) return;
      from = { x: event.clientX, y: event.clientY };
      node.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent) => {
      if (!from) return;
      const [x, y] = [event.clientX - from.x, event.clientY - from.y];
      moving ||= Math.hypot(x, y) > SLIP;
      if (!moving) return;
      node.dataset.dragged = '';
      node.style.translate = `${x}px ${y}px`;
      over(slotAt(event.clientX, event.clientY));
    };
    const let_go = (event: PointerEvent) => {
      if (!from) return;
      from = null;
      const slot = slotAt(event.clientX, event.clientY);
      delete node.dataset.dragged;
      node.style.translate = '';
      over(null);
      if (moving && event.type === 'pointerup' && free()) drop(slot);
    };
    const click = (event: MouseEvent) => {
      if (moving) event.stopImmediatePropagation();
      moving = false;
    };

    node.addEventListener('pointerdown', down);
    node.addEventListener('pointermove', move);
    node.addEventListener('pointerup', let_go);
    node.addEventListener('pointercancel', let_go);
    node.addEventListener('click', click, { capture: true });
    return () => {
      node.removeEventListener('pointerdown', down);
      node.removeEventListener('pointermove', move);
      node.removeEventListener('pointerup', let_go);
      node.removeEventListener('pointercancel', let_go);
      node.removeEventListener('click', click, { capture: true });
    };
  };
}
