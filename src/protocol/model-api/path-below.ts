/** A path that begins with `/v1`, below a base URL: not repeated where the base URL already ends in it. */
export function pathBelow(baseUrl: string | null, path: string): string {
  const prefix = baseUrl === null ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '');
  return prefix.endsWith('/v1') ? path.replace(/^\/v1(?=\/)/, '') : path;
}
