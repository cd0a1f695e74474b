import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

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
