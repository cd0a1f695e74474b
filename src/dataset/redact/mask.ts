/** The shape of something personal, without it: letters as `x`, digits as `0`. */
export function mask(text: string): string {
  const shape = text
    .replace(/\p{L}/gu, 'x')
    .replace(/\p{N}/gu, '0')
    .replace(/[^x0 ()+.,:/_@-]/gu, '?');
  return shape.length <= longestShape ? shape : `${shape.slice(0, longestShape)}…`;
}

const longestShape = 40;
