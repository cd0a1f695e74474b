/** Where a pointer is within an element, in pixels. */
export function spotOf({ clientX, clientY }: MouseEvent, place: Element | null): { x: number; y: number } {
  const { left = 0, top = 0 } = place?.getBoundingClientRect() ?? {};
  return { x: clientX - left, y: clientY - top };
}
