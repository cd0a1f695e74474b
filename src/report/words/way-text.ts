import type { Transport } from '../../result/sections/transport.ts';

interface Way {
  proxy: string | null;
  unixSocket: string | null;
  http2: boolean;
}

/** By which way a target was reached; nothing where that was the plain one. */
export function wayText({ proxy, unixSocket, http2 }: Way): string {
  const spoken = http2 ? ', over HTTP/2' : '';
  if (unixSocket !== null) return `${spoken}, by the Unix socket ${unixSocket}`;
  return proxy === null ? spoken : `${spoken}, through the proxy ${proxy}`;
}

/** The way of a run, as its connections took it. */
export function wayOf(transport: Pick<Transport, 'proxy' | 'addresses' | 'http2'> | null): Way {
  const { proxy = null, addresses = [], http2 = null } = transport ?? {};
  const socket = addresses.find(({ address }) => address.startsWith(onSocket));
  return { proxy, unixSocket: socket?.address.slice(onSocket.length) ?? null, http2: http2 !== null };
}

const onSocket = 'unix:';
