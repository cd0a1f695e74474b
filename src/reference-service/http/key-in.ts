import type { IncomingHttpHeaders } from 'node:http';

/** The key of a request as `Authorization` has it; Anthropic's clients send it as `x-api-key`. */
export function keyIn({ authorization, 'x-api-key': key }: IncomingHttpHeaders): string | undefined {
  return authorization ?? (typeof key === 'string' ? `Bearer ${key}` : undefined);
}
