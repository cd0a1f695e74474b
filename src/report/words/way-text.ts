import type { Transport } from '../../result/sections/transport.ts';

interface Way {
  proxy: string | null;
  unixSocket: string | null;
}

/** By which way a target was reached; nothing where that was the plain one. */
export function wayText({ proxy, unixSocket }: Way): string {
  if (unixSocket !== null) return `, by the Unix socket ${unixSocket}`;
  return proxy === null ? '' : `, through the proxy ${proxy}`;
}

/** The way of a run, as its connections took it. */
export function wayOf(transport: Pick<Transport, 'proxy' | 'addresses'> | null): Way {
  const { proxy = null, addresses = [] } = transport ?? {};
  const socket = addresses.find(({ address }) => address.startsWith(onSocket));
  return { proxy, unixSocket: socket?.address.slice(onSocket.length) ?? null };
}

const onSocket = 'unix:';
