import { isIP, type LookupFunction } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { isForwarded, type ProxyServer } from '../../../base/proxy-server.ts';
import { LatestSession, secureOptions, type TlsOptions } from './secure-options.ts';
import { lookUpPinned, pinnedAddresses, shareLookup, type LookUpAll } from './shared-lookup.ts';

/** Destination and route of the connections to a target, resolved once. */
export interface SocketAim {
  host: string;
  port: number;
  /** Host and port for messages; also the proxy once connections reach beyond it. */
  place: string;
  lookup: LookupFunction;
  /**
   * True if connections go to the looked-up addresses of `host`: it is not an address, and nothing overrides the
   * lookup.
   */
  isLookedUp: boolean;
  /** Returns the local address of the next connection; `undefined`: the system chooses. */
  nextLocalAddress: () => string | undefined;
  /** `undefined` for plain TCP. */
  tls: ConnectionOptions | undefined;
  /** `undefined`: every handshake is a full one. */
  session: LatestSession | undefined;
  unixSocket: string | undefined;
  proxy: ProxyAim | undefined;
}

/** The proxy that connections go to first. */
export interface ProxyAim {
  server: ProxyServer;
  lookup: LookupFunction;
  /** For the connection to the proxy itself. */
  tls: ConnectionOptions | undefined;
  /** Host and port that it has to connect to; `undefined`: it forwards requests. */
  tunnelTo: string | undefined;
}

interface SocketRoute {
  localAddresses?: readonly string[] | undefined;
  unixSocket?: string | null | undefined;
  proxy?: ProxyServer | undefined;
  resolve?: readonly string[] | null | undefined;
  lookUp?: LookUpAll | undefined;
  /** True if an HTTP proxy has to open a tunnel to plain HTTP targets too. */
  tunnelsAlways?: boolean;
}

/** Throws `ChatLoadError` (usage) if the CA cannot be read. */
export function aimSocket(baseUrl: URL, tls: TlsOptions = {}, route: SocketRoute = {}): SocketAim {
  const isSecure = baseUrl.protocol === 'https:';
  const port = baseUrl.port === '' ? (isSecure ? 443 : 80) : Number(baseUrl.port);
  const host = baseUrl.hostname.replace(/^\[(.*)\]$/, '$1');
  const { localAddresses = [], unixSocket, proxy } = route;
  const pinned = pinnedAddresses(route.resolve ?? [], { host, port });
  const target = `${baseUrl.hostname}:${String(port)}`;
  const tunnels = proxy !== undefined && (route.tunnelsAlways === true || !isForwarded(baseUrl, proxy));
  let turn = 0;
  return {
    host,
    port,
    place: unixSocket ?? (tunnels ? `${target} through the proxy ${proxy.name}` : target),
    lookup: shareLookup(pinned.length === 0 ? route.lookUp : lookUpPinned(pinned)),
    isLookedUp: isIP(host) === 0 && pinned.length === 0 && !unixSocket && proxy === undefined,
    nextLocalAddress: () => localAddresses[turn++ % Math.max(1, localAddresses.length)],
    tls: isSecure ? secureOptions({ ...nameOf(host), ...tls }) : undefined,
    unixSocket: unixSocket ?? undefined,
    proxy: proxy && {
      server: proxy,
      lookup: shareLookup(),
      tls: proxy.scheme === 'https' ? secureOptions(nameOf(proxy.host)) : undefined,
      tunnelTo: tunnels ? target : undefined,
    },
    session: isSecure && tls.resume !== false ? new LatestSession() : undefined,
  };
}

/** Returns the server name for the handshake: gateways route by it. Addresses have none (RFC 6066, section 3). */
const nameOf = (host: string): Pick<TlsOptions, 'servername'> =>
  isIP(host) === 0 ? { servername: host.replace(/\.$/, '') } : {};
