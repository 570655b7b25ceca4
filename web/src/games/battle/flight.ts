import type { Attachment } from 'svelte/attachments';

export const FLIGHT_MS = 650;

/** Grows where it is, so that it can be read, flies to another place, and is gone. */
export function flight(to: () => Element | null | undefined): Attachment<HTMLElement> {
  return (node) => {
    const there = to()?.getBoundingClientRect();
    const here = node.getBoundingClientRect();
    if (!there) return;
    const way = `translate(${there.left - here.left}px, ${there.top - here.top}px)`;
    const steps = [
      { transform: 'none', offset: 0 },
      { transform: 'scale(1.5)', offset: 0.3 },
      { transform: 'scale(1.5)', offset: 0.5 },
      { transform: `${way} scale(1.2)`, opacity: 1, offset: 0.97 },
      { transform: `${way} scale(1)`, opacity: 0 },
    ];
    node.animate(steps, { duration: FLIGHT_MS, easing: 'ease-out', fill: 'forwards' });
  };
}
