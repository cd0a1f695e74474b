import type { ProxyFailure } from './proxy-failure.ts';

/** What a proxy is asked for, over a socket that is connected to it. */
export interface Handshake {
  /** What is sent first. */
  readonly opening: Buffer;
  /** Takes what came: more to send, whether the way is open, or why not; `undefined`: it said too little yet. */
  take(bytes: Buffer): Buffer | 'open' | ProxyFailure | undefined;
}
