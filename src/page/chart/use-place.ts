import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Area } from './area.ts';

/** How wide a chart is on A4, two of them side by side: as the style sheet for print has it. */
const printedPx = 305;

/** How wide an element is, in whole pixels; 0 before it is laid out. */
export function useWidth(place: RefObject<Element | null>): number {
  const [width, measure] = useState(0);
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return;
    const measured = (): void => measure(Math.floor(current.clientWidth));
    // No observer is told that a page is laid out for paper.
    const printed = (): void => measure(printedPx);
    const sized = new ResizeObserver(measured);
    sized.observe(current);
    measured();
    window.addEventListener('beforeprint', printed);
    window.addEventListener('afterprint', measured);
    return () => {
      sized.disconnect();
      window.removeEventListener('beforeprint', printed);
      window.removeEventListener('afterprint', measured);
    };
  }, []);
  return width;
}

interface Drag {
  fromPx: number;
  toPx: number;
}

/** Shorter drags are clicks. */
const minDragPx = 5;

/** A stretch that is dragged over across an area: what it is now, and what the element has to listen to. */
export function useDrag(
  place: RefObject<Element | null>,
  { area, point, select }: { area: Area; point: (px: number | null) => void; select: (drag: Drag) => void },
) {
  const [drag, set] = useState<Drag | null>(null);
  const within = (event: MouseEvent): number =>
    Math.min(area.right, Math.max(area.left, spotOf(event, place.current).x));
  const onPointerDown = (event: PointerEvent): void => {
    point(within(event));
    // A finger that moves scrolls.
    if (event.button !== 0 || event.pointerType === 'touch') return;
    place.current?.setPointerCapture(event.pointerId);
    set({ fromPx: within(event), toPx: within(event) });
  };
  const onPointerMove = (event: PointerEvent): void => {
    point(within(event));
    if (drag !== null) set({ fromPx: drag.fromPx, toPx: within(event) });
  };
  const onPointerUp = (): void => {
    set(null);
    if (drag === null || Math.abs(drag.toPx - drag.fromPx) < minDragPx) return;
    select({ fromPx: Math.min(drag.fromPx, drag.toPx), toPx: Math.max(drag.fromPx, drag.toPx) });
  };
  const onPointerLeave = ({ pointerType }: PointerEvent): void => {
    if (pointerType !== 'touch') point(null);
  };
  const onPointerCancel = (): void => set(null);
  return { drag, listeners: { onPointerDown, onPointerMove, onPointerUp, onPointerLeave, onPointerCancel } };
}

/** Where a pointer is within an element, in pixels. */
export function spotOf({ clientX, clientY }: MouseEvent, place: Element | null): { x: number; y: number } {
  const { left = 0, top = 0 } = place?.getBoundingClientRect() ?? {};
  return { x: clientX - left, y: clientY - top };
}
