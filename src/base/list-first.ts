/** The first of some texts, and the number of others: `a, b, and 3 more`. */
export function listFirst(texts: readonly string[], most: number): string {
  const left = texts.length - most;
  return [...texts.slice(0, most), ...(left > 0 ? [`and ${String(left)} more`] : [])].join(', ');
}
