/** How requests went to a target: what the senders of a run count. Described in the schema of results. */
export interface Transport {
  proxy: string | null;
  exchanges: { http1: number; http2: number };
  addresses: TransportAddress[];
  tls: {
    protocol: string;
    handshakes: number;
    resumed: number;
    isVerified: boolean;
    issuer: string;
    validTo: string | null;
  } | null;
  http2: { goAways: number; refusedStreams: number } | null;
  tokens: { fetched: number; failed: number; retried: number } | null;
}

/** What connections to one address carried. */
export interface TransportAddress {
  address: string;
  connections: number;
  exchanges: number;
}

/** The most addresses of a target that are listed; what went to others is counted together. */
const mostAddresses = 100;

/** Each address once, those with the most connections first; beyond a hundred they are added up. */
export function listAddresses(counted: readonly TransportAddress[]): TransportAddress[] {
  const byAddress = new Map<string, TransportAddress>();
  for (const { address, connections, exchanges } of counted) add(byAddress, { address, connections, exchanges });
  const sorted = [...byAddress.values()].sort(
    (a, b) => b.connections - a.connections || a.address.localeCompare(b.address),
  );
  if (sorted.length <= mostAddresses) return sorted;
  const rest = new Map<string, TransportAddress>();
  for (const each of sorted.slice(mostAddresses - 1)) add(rest, { ...each, address: others });
  return [...sorted.slice(0, mostAddresses - 1), ...rest.values()];
}

function add(to: Map<string, TransportAddress>, { address, connections, exchanges }: TransportAddress): void {
  const there = to.get(address) ?? { address, connections: 0, exchanges: 0 };
  to.set(address, {
    address,
    connections: there.connections + connections,
    exchanges: there.exchanges + exchanges,
  });
}

const others = 'others';
