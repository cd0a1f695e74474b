import { ms } from '../../../base/time.ts';
import type { Ms } from '../../../base/time.ts';

/** N of `timeout=N` in a `Keep-Alive` header, in seconds; `undefined` without one. */
export function keepAliveSeconds(value: string): number | undefined {
  const digits = /(?:^|[\s,;])timeout\s*=\s*"?(\d+)/i.exec(value)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * How long a connection may be idle: `limit`, or what the server announced less one second, since its count began
 * before ours; of a short announcement at least half, or connections to a server that says one second would never be reused.
 */
export function idleTime(announcedSeconds: number | undefined, limit: Ms): Ms {
  if (announcedSeconds === undefined) return limit;
  const announcedMs = announcedSeconds * 1000;
  return ms(Math.min(limit, Math.max(announcedMs - 1000, announcedMs / 2)));
}
