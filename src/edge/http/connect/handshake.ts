import type { ProxyFailure } from './proxy-failure.ts';

/** What a proxy is asked for, over a socket that is connected to it. */
export interface Handshake {
  /** What is sent first. */
  readonly opening: Buffer;
  /** Takes what came: more to send, whether the way is open, or why not; `undefined`: it said too little yet. */
  take(bytes: Buffer): Buffer | 'open' | ProxyFailure | undefined;
  /** What came behind its answer, from the target. */
  readonly rest: Buffer;
}

/** Of what a server may be, one of HTTP/2 alone speaks first: with SETTINGS, whose length begins with zero. No text does. */
export function isFromTarget(rest: Buffer): boolean {
  return rest.length === 0 || rest[0] === 0;
}
