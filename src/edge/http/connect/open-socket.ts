import {
  connect as connectTcp,
  isIP,
  type IpcNetConnectOpts,
  type LookupFunction,
  type Socket,
  type TcpNetConnectOpts,
} from 'node:net';
import { connect as connectTls, TLSSocket, type ConnectionOptions } from 'node:tls';
import { isForwarded, type ProxyServer } from '../../../base/proxy-server.ts';
import { awaitReady, type OpenedSocket, type OpeningSocket, type SocketListener } from './await-ready.ts';
import { describeConnectTimeout, describeHandshakeTimeout, type ConnectFailure } from './connect-failure.ts';
import { LatestSession, secureOptions, type TlsOptions } from './secure-options.ts';
import { openTunnel } from './open-tunnel.ts';
import { proxyUnreachable, proxyUnreached } from './proxy-failure.ts';
import { lookUpPinned, pinnedAddresses, shareLookup, type LookUpAll } from './shared-lookup.ts';

export type { OpeningSocket, SocketListener } from './await-ready.ts';

/** Where connections go to, worked out once. */
export interface SocketAim {
  host: string;
  port: number;
  /** Host and port, for a person; also the proxy before them, once connections reach beyond it. */
  place: string;
  lookup: LookupFunction;
  /** Whether connections go to where a look-up of `host` says: it is no address, and nothing stands in for it. */
  isLookedUp: boolean;
  /** The local address of the next connection; `undefined`: the system chooses. */
  nextLocalAddress: () => string | undefined;
  /** `undefined` for plain TCP. */
  tls: ConnectionOptions | undefined;
  /** `undefined`: every handshake is a full one. */
  session: LatestSession | undefined;
  /** The Unix socket that takes connections in place of host and port. */
  unixSocket: string | undefined;
  proxy: ProxyAim | undefined;
}

/** The proxy that connections go to first. */
interface ProxyAim {
  server: ProxyServer;
  lookup: LookupFunction;
  /** Of the connection to the proxy itself. */
  tls: ConnectionOptions | undefined;
  /** The host and port that it is asked to connect to; `undefined`: it is sent requests to forward. */
  tunnelTo: string | undefined;
}

/** The way that connections take. */
export interface SocketWay {
  /** Literals of one family; connections start from each of them in turn. */
  localAddresses?: readonly string[] | undefined;
  unixSocket?: string | null | undefined;
  proxy?: ProxyServer | undefined;
  /** `host:port:address`: what is not looked up. */
  resolve?: readonly string[] | null | undefined;
  /** Left out: the system looks names up. */
  lookUp?: LookUpAll | undefined;
  /** Whether an HTTP proxy is asked for a tunnel where the target is plain HTTP, too. */
  tunnelsAlways?: boolean;
}

/** Where incoming bytes are put, and the callback for their number. */
export type ReadInto = NonNullable<TcpNetConnectOpts['onread']>;

/** Throws `ChatLoadError` (usage) when the CA cannot be read. */
export function aimSocket(baseUrl: URL, tls: TlsOptions = {}, way: SocketWay = {}): SocketAim {
  const isSecure = baseUrl.protocol === 'https:';
  const port = baseUrl.port === '' ? (isSecure ? 443 : 80) : Number(baseUrl.port);
  const host = baseUrl.hostname.replace(/^\[(.*)\]$/, '$1');
  const { localAddresses = [], unixSocket, proxy } = way;
  const pinned = pinnedAddresses(way.resolve ?? [], { host, port });
  const there = `${baseUrl.hostname}:${String(port)}`;
  const tunnels = proxy !== undefined && (way.tunnelsAlways === true || !isForwarded(baseUrl, proxy));
  return {
    host,
    port,
    place: unixSocket ?? (tunnels ? `${there} through the proxy ${proxy.name}` : there),
    lookup: shareLookup(pinned.length === 0 ? way.lookUp : lookUpPinned(pinned)),
    isLookedUp: isIP(host) === 0 && pinned.length === 0 && !unixSocket && proxy === undefined,
    nextLocalAddress: inTurn(localAddresses),
    tls: isSecure ? secureOptions({ ...nameOf(host), ...tls }) : undefined,
    unixSocket: unixSocket ?? undefined,
    proxy: proxy && aimProxy(proxy, tunnels ? there : undefined),
    session: isSecure && tls.resume !== false ? new LatestSession() : undefined,
  };
}

const aimProxy = (server: ProxyServer, tunnelTo: string | undefined): ProxyAim => ({
  server,
  lookup: shareLookup(),
  tls: server.scheme === 'https' ? secureOptions(nameOf(server.host)) : undefined,
  tunnelTo,
});

/** The name to ask for in a handshake: gateways choose by it whom they answer for. Addresses have none (RFC 6066, section 3). */
const nameOf = (host: string): Pick<TlsOptions, 'servername'> =>
  isIP(host) === 0 ? { servername: host.replace(/\.$/, '') } : {};

const inTurn = (localAddresses: readonly string[]): (() => string | undefined) => {
  let turn = 0;
  return () => localAddresses[turn++ % Math.max(1, localAddresses.length)];
};

/** Starts connecting. With `onread` incoming bytes are put there; else the listener reads the socket. */
export function openSocket(aim: SocketAim, onread: ReadInto | undefined, waiting: SocketListener): OpeningSocket {
  const listener = aim.session === undefined ? waiting : keepSession(aim.session, waiting);
  if (aim.proxy === undefined) return connectDirectly(aim, { onread, listener });
  const { proxy, host, port, lookup } = aim;
  const { server, tunnelTo } = proxy;
  if (tunnelTo === undefined) return reachProxy(aim, proxy, { onread, listener });
  return openTunnel(
    {
      server,
      host,
      port,
      place: tunnelTo,
      lookup,
      reach: (reached) => reachProxy(aim, proxy, { onread: undefined, listener: reached }),
      finish: (socket, finished) => finishTunnel(aim, socket, { onread, listener: finished }),
    },
    listener,
  );
}

const offer = (session: LatestSession | undefined): ConnectionOptions =>
  session?.offered === undefined ? {} : { session: session.offered };

const keepSession = (session: LatestSession, listener: SocketListener): SocketListener => ({
  ready: (socket, address) => {
    if (socket instanceof TLSSocket) session.follow(socket);
    listener.ready(socket, address);
  },
  failed: (error) => {
    session.forget();
    listener.failed(error);
  },
});

interface Waiting {
  onread: ReadInto | undefined;
  listener: SocketListener;
}

function connectDirectly(aim: SocketAim, { onread, listener }: Waiting): OpeningSocket {
  const { host, port, lookup, nextLocalAddress, unixSocket, tls, session, place } = aim;
  const to =
    unixSocket === undefined ? { host, port, lookup, ...fromAddress(nextLocalAddress()) } : { path: unixSocket };
  const address = unixSocket === undefined ? '' : `unix:${unixSocket}`;
  const { cancel, hasConnected } = awaitReady(
    { ...connect(to, onread, tls && { host, ...tls, ...offer(session) }), address },
    listener,
  );
  const describeTimeout = (timeoutMs: number): ConnectFailure =>
    tls !== undefined && hasConnected()
      ? describeHandshakeTimeout(timeoutMs, place)
      : describeConnectTimeout(timeoutMs, place);
  return { cancel, describeTimeout };
}

/** Connects to the proxy alone. */
function reachProxy(
  { nextLocalAddress }: SocketAim,
  { server, lookup, tls }: ProxyAim,
  { onread, listener }: Waiting,
): OpeningSocket {
  const { host, port } = server;
  const to = { host, port, lookup, ...fromAddress(nextLocalAddress()) };
  const { cancel } = awaitReady(connect(to, onread, tls), {
    ready: (socket, address) => listener.ready(socket, address),
    failed: (error) => listener.failed(proxyUnreachable(server, error)),
  });
  return { cancel, describeTimeout: (timeoutMs) => proxyUnreached(server, timeoutMs) };
}

function connect(
  to: TcpNetConnectOpts | IpcNetConnectOpts,
  onread: ReadInto | undefined,
  tls: ConnectionOptions | undefined,
): OpenedSocket {
  // Half open, so that the socket is unchanged when its end is reported.
  const options = { ...to, noDelay: true, allowHalfOpen: true, ...(onread === undefined ? {} : { onread }) };
  if (tls === undefined) return { socket: connectTcp(options), readyEvent: 'connect' };
  return { socket: connectTls({ ...options, ...tls }), readyEvent: 'secureConnect' };
}

/** The tunnel is open: what comes through it is from the target. */
function finishTunnel(
  { host, tls, session }: SocketAim,
  socket: Socket,
  { onread, listener }: Waiting,
): { cancel: () => void } {
  const ready = (opened: Socket, address: string): void => {
    if (onread !== undefined) copyInto(onread, opened);
    listener.ready(opened, address);
  };
  if (tls !== undefined)
    return awaitReady(
      { socket: connectTls({ host, ...tls, ...offer(session), socket }), readyEvent: 'secureConnect' },
      { ready, failed: (error) => listener.failed(error) },
    );
  ready(socket, '');
  return { cancel: () => undefined };
}

/** Node reads only those sockets into a given buffer that it connects itself. */
function copyInto(onread: ReadInto, socket: Socket): void {
  const { buffer } = onread;
  const into = typeof buffer === 'function' ? buffer() : buffer;
  socket.on('data', (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; at += into.length) {
      const piece = bytes.subarray(at, at + into.length);
      into.set(piece);
      onread.callback(piece.length, into);
    }
  });
  socket.resume();
}

/** Of a host name only addresses of the same family can be reached from a given one. */
const fromAddress = (localAddress: string | undefined): Pick<TcpNetConnectOpts, 'localAddress' | 'family'> =>
  localAddress === undefined ? {} : { localAddress, family: isIP(localAddress) };
