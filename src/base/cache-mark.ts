/** Response fields with which caches mark their replies. */
export const cacheFields = [
  'age',
  'cache-status',
  'cf-cache-status',
  'x-cache',
  'x-cache-status',
  'cf-aig-cache-status',
  'x-vercel-cache',
  'x-proxy-cache',
  'x-fastcgi-cache',
  'x-litellm-cache-key',
  'helicone-cache',
  'x-portkey-cache-status',
];

/** Reports whether a field, its name in lower case, marks a reply as taken from a cache. */
export function isCacheMark(name: string, value: string): boolean {
  if (!cacheFields.includes(name)) return false;
  if (name === 'age') return Number(value) > 0;
  return name === 'x-litellm-cache-key' ? value !== '' : /(?<![a-z])(?<!no-)hit(?![a-z])/i.test(value);
}
