import { randomUUID } from 'node:crypto';

/** An id that nothing else has: 32 hexadecimal digits after the prefix. */
export function newId(prefix: string): string {
  return prefix + randomUUID().replaceAll('-', '');
}
