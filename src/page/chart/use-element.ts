import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Area, Span } from './area.ts';

/** Width of a chart on A4, two side by side, as in the style sheet for print. */
const printedPx = 305;

/** Returns the width of an element in whole pixels; 0 before its layout. */
export function useWidth(element: RefObject<Element | null>): number {
  const [width, measure] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measured = (): void => measure(Math.floor(current.clientWidth));
    // ResizeObserver does not fire for print layout.
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

/** Shorter drags are clicks. */
const minDragPx = 5;

/** Returns the current drag across an area and the listeners for the element. */
export function useDrag(
  element: RefObject<Element | null>,
  { area, point, select }: { area: Area; point: (px: number | null) => void; select: (drag: Span) => void },
) {
  const [drag, set] = useState<Span | null>(null);
  const within = (event: MouseEvent): number =>
    Math.min(area.right, Math.max(area.left, spotOf(event, element.current).x));
  const onPointerDown = (event: PointerEvent): void => {
    point(within(event));
    // On a touch screen, moving a finger scrolls.
    if (event.button !== 0 || event.pointerType === 'touch') return;
    element.current?.setPointerCapture(event.pointerId);
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

/** Returns the position of a pointer within an element, in pixels. */
export function spotOf({ clientX, clientY }: MouseEvent, element: Element | null): { x: number; y: number } {
  const { left = 0, top = 0 } = element?.getBoundingClientRect() ?? {};
  return { x: clientX - left, y: clientY - top };
}
