/** The path below the base URL, with its query, of a URL or a path that a service gave; `undefined` where it leads elsewhere. */
export function statusPath(baseUrl: string | null, given: string): string | undefined {
  const base = new URL(baseUrl ?? 'http://embedded');
  const prefix = base.pathname.replace(/\/+$/, '');
  const from = new URL(`${prefix}/`, base).href;
  // URLs of the web read a backslash as a slash.
  const isWhole = /^([a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(given);
  if (!URL.canParse(given, from)) return undefined;
  const url = new URL(given, from);
  if (isWhole && baseUrl !== null && url.origin !== base.origin) return undefined;
  const path = url.pathname + url.search;
  if (path.startsWith(`${prefix}/`)) return path.slice(prefix.length);
  // A path alone may be told as it is below the base URL.
  return isWhole ? undefined : path;
}
