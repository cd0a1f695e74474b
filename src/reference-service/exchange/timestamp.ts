let lastMs = NaN;
let lastText = '';

/** A wall-clock reading as ISO 8601; exchanges of the same millisecond share the text. */
export function timestampOf(wallMs: number): string {
  if (wallMs !== lastMs) {
    lastMs = wallMs;
    lastText = new Date(wallMs).toISOString();
  }
  return lastText;
}
