/** Splits a text into words, each with the space before it, and words at their hyphens: what a streamed reply is sent in, and what stands for its tokens. A tag or a code thus comes in several. */
export function piecesOf(text: string): string[] {
  return text.match(/\s*(?:[^\s-]+-?|-)(?:\s+$)?/g) ?? (text === '' ? [] : [text]);
}

/** How many pieces a text has. */
export function countPieces(text: string): number {
  return piecesOf(text).length;
}

/** Exactly so many pieces: filler words follow a short reply, and the last piece takes the rest of a long one. */
export function fitPieces(pieces: readonly string[], count: number): string[] {
  if (pieces.length <= count) return [...pieces, ...fillers(count - pieces.length, pieces.length)];
  return [...pieces.slice(0, count - 1), pieces.slice(count - 1).join('')];
}

/** Words that say nothing. `before`: how many pieces come before them. */
export function fillers(count: number, before = 0): string[] {
  return Array.from({ length: count }, (_, index) => (before + index === 0 ? 'well' : ' well'));
}
