import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** How wide an element is, in whole pixels; 0 before it is laid out. */
export function useWidth(place: RefObject<Element | null>): number {
  const [width, measure] = useState(0);
  useLayoutEffect(() => {
    if (place.current === null) return;
    measure(Math.floor(place.current.clientWidth));
    const sized = new ResizeObserver(([entry]) => {
      if (entry !== undefined) measure(Math.floor(entry.contentRect.width));
    });
    sized.observe(place.current);
    return () => sized.disconnect();
  }, []);
  return width;
}
