import type { ResponseHead } from './response-head.ts';

/** The values of the `Set-Cookie` fields of a response; `undefined`: it sets none. */
export function cookieLines({ headers }: Pick<ResponseHead, 'headers'>): string[] | undefined {
  const lines = headers.filter(([name]) => name.toLowerCase() === 'set-cookie').map(([, value]) => value);
  return lines.length === 0 ? undefined : lines;
}
