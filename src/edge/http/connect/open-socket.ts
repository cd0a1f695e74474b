import { connect as connectTcp, isIP, type IpcNetConnectOpts, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls, TLSSocket, type ConnectionOptions } from 'node:tls';
import { describeConnectTimeout, describeHandshakeTimeout, type ConnectFailure } from './connect-failure.ts';
import { HttpHandshake } from './http-handshake.ts';
import { proxyLeft, proxySilent, proxyUnreachable } from './proxy-failure.ts';
import type { LatestSession } from './secure-options.ts';
import type { ProxyAim, SocketAim } from './socket-aim.ts';
import { SocksHandshake } from './socks-handshake.ts';

/** Waits for a socket: one of the two is called, once, later than the call that opens it. */
export interface SocketListener {
  /**
   * The socket is writable, and now belongs to the listener. `address` is the address that answered; reading it from
   * the socket later would cache it there, and a reset could no longer be distinguished from an end.
   */
  ready: (socket: Socket, address: string) => void;
  failed: (error: Error) => void;
}

export interface OpeningSocket {
  /** Cancels the wait: the listener is no longer called. Has no effect on a socket that is ready. */
  cancel: () => void;
  /** Describes the pending step after this time. */
  describeTimeout: (timeoutMs: number) => ConnectFailure;
}

type Cancellable = Pick<OpeningSocket, 'cancel'>;

/** Buffer for incoming bytes, and the callback for their number. */
export type ReadInto = NonNullable<TcpNetConnectOpts['onread']>;

/** Starts connecting. With `onread` incoming bytes are stored there; otherwise the listener reads the socket. */
export function openSocket(aim: SocketAim, onread: ReadInto | undefined, waiting: SocketListener): OpeningSocket {
  const listener = aim.session === undefined ? waiting : keepSession(aim.session, waiting);
  const { proxy } = aim;
  if (proxy === undefined) return connectDirectly(aim, onread, listener);
  if (proxy.tunnelTo === undefined) return reachProxy(aim, proxy, { ...listener, onread });
  return openTunnel({ aim, proxy, onread, place: proxy.tunnelTo }, listener);
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

function connectDirectly(aim: SocketAim, onread: ReadInto | undefined, listener: SocketListener): OpeningSocket {
  const { host, unixSocket, tls, place } = aim;
  const to = unixSocket === undefined ? destination(aim, aim) : { path: unixSocket };
  const socket = connect(to, onread, tls && { host, ...tls, ...offer(aim.session) });
  const { cancel, hasConnected } = awaitReady(socket, listener, unixSocket === undefined ? '' : `unix:${unixSocket}`);
  const describeTimeout = (timeoutMs: number): ConnectFailure =>
    tls !== undefined && hasConnected()
      ? describeHandshakeTimeout(timeoutMs, place)
      : describeConnectTimeout(timeoutMs, place);
  return { cancel, describeTimeout };
}

function reachProxy(
  aim: SocketAim,
  { server, lookup, tls }: ProxyAim,
  { onread, ready, failed }: SocketListener & { onread?: ReadInto | undefined },
): OpeningSocket {
  const socket = connect(destination(aim, { host: server.host, port: server.port, lookup }), onread, tls);
  const { cancel } = awaitReady(socket, { ready, failed: (error) => failed(proxyUnreachable(server, error)) });
  return { cancel, describeTimeout: (timeoutMs) => describeConnectTimeout(timeoutMs, `the proxy ${server.name}`) };
}

/** From a local address only addresses of the same family can be reached. */
function destination(
  { nextLocalAddress }: SocketAim,
  { host, port, lookup }: Pick<SocketAim, 'host' | 'port' | 'lookup'>,
): TcpNetConnectOpts {
  const localAddress = nextLocalAddress();
  const from = localAddress === undefined ? undefined : { localAddress, family: isIP(localAddress) };
  return { host, port, lookup, ...from };
}

function connect(
  to: TcpNetConnectOpts | IpcNetConnectOpts,
  onread: ReadInto | undefined,
  tls: ConnectionOptions | undefined,
): Socket {
  // Allows half-open connections, so that the socket is unchanged when its end is reported.
  const options = { ...to, noDelay: true, allowHalfOpen: true, ...(onread && { onread }) };
  return tls === undefined ? connectTcp(options) : connectTls({ ...options, ...tls });
}

/**
 * Waits until a socket can be written to, TLS included. `hasConnected` reports whether TCP is connected. `address`: its
 * destination if it looks no address up.
 */
function awaitReady(
  socket: Socket,
  listener: SocketListener,
  address = '',
): Cancellable & { hasConnected: () => boolean } {
  const readyEvent = socket instanceof TLSSocket ? 'secureConnect' : 'connect';
  let isOver = false;
  let hasConnected = false;
  let answering = address;
  const end = (): void => {
    isOver = true;
    socket.off(readyEvent, ready).off('error', fail).off('close', close);
  };
  const cancel = (): void => {
    if (isOver) return;
    end();
    // Errors after this would have no listener.
    socket.on('error', () => undefined).destroy();
  };
  const ready = (): void => {
    end();
    listener.ready(socket, answering);
  };
  const fail = (error: Error): void => {
    cancel();
    listener.failed(error);
  };
  const close = (): void => fail(new Error('the connection was closed while it was being set up'));
  socket.once('connect', () => void (hasConnected = true));
  // The latest attempt succeeds.
  socket.on('connectionAttempt', (tried: string) => void (answering = tried));
  socket.on(readyEvent, ready).on('error', fail).on('close', close);
  return { cancel, hasConnected: () => hasConnected };
}

interface TunnelAim {
  aim: SocketAim;
  proxy: ProxyAim;
  onread: ReadInto | undefined;
  /** Host and port of the target. */
  place: string;
}

/**
 * Opens a socket to the target through a proxy.
 *
 *     [look the target up ->] connect to the proxy -> handshake with it -> TLS with the target
 */
function openTunnel({ aim, proxy, onread, place }: TunnelAim, listener: SocketListener): OpeningSocket {
  const { server } = proxy;
  const { host, port } = aim;
  let step: Cancellable = { cancel: () => undefined };
  let describe: OpeningSocket['describeTimeout'] = (timeoutMs) => describeConnectTimeout(timeoutMs, place);
  let isOver = false;
  const cancel = (): void => {
    if (isOver) return;
    isOver = true;
    step.cancel();
  };
  const failed = (error: Error): void => {
    if (isOver) return;
    cancel();
    listener.failed(error);
  };
  const reach = (requested: string): void => {
    const reaching = reachProxy(aim, proxy, { ready: (socket, address) => shake(socket, requested, address), failed });
    step = reaching;
    describe = (timeoutMs) => reaching.describeTimeout(timeoutMs);
  };
  const shake = (socket: Socket, requested: string, address: string): void => {
    const isSocks = server.scheme.startsWith('socks');
    const handshake = isSocks
      ? new SocksHandshake(server, { host: requested, port, place })
      : new HttpHandshake(server, place);
    const awaited = isSocks ? `the request for ${place}` : `the CONNECT to ${place}`;
    describe = (timeoutMs) => proxySilent(server, awaited, timeoutMs);
    const end = (): void => void socket.off('data', take).off('error', lose).off('end', leave).off('close', leave);
    const take = (bytes: Buffer): void => {
      const answer = handshake.take(bytes);
      if (Buffer.isBuffer(answer)) return void socket.write(answer);
      if (answer === undefined) return;
      if (answer !== 'open') return failed(answer);
      socket.pause();
      end();
      if (handshake.rest.length > 0) socket.unshift(handshake.rest);
      describe = (timeoutMs) => describeConnectTimeout(timeoutMs, `${place} through the proxy ${server.name}`);
      step = finishTunnel(aim, socket, { onread, ready, failed });
    };
    const ready = (opened: Socket): void => {
      isOver = true;
      listener.ready(opened, address);
    };
    const lose = ({ message }: Error): void => failed(proxyLeft(server, awaited, `broke the connection (${message})`));
    const leave = (): void => failed(proxyLeft(server, awaited));
    step = {
      cancel: () => {
        end();
        socket.on('error', () => undefined).destroy();
      },
    };
    socket.on('data', take).on('error', lose).on('end', leave).on('close', leave);
    socket.write(handshake.opening);
  };
  if (server.scheme !== 'socks5' || isIP(host) !== 0) reach(host);
  else
    aim.lookup(host, { all: true }, (error, found) => {
      if (isOver) return;
      const [first] = Array.isArray(found) ? found : [];
      if (error !== null || first === undefined) failed(error ?? new Error(`no address for ${host}`));
      else reach(first.address);
    });
  return { cancel, describeTimeout: (timeoutMs) => describe(timeoutMs) };
}

/** The tunnel is open: all further bytes are from the target. */
function finishTunnel(
  { host, tls, session }: SocketAim,
  socket: Socket,
  { onread, ready, failed }: SocketListener & { onread: ReadInto | undefined },
): Cancellable {
  const take = (opened: Socket): void => {
    if (onread !== undefined) copyInto(onread, opened);
    ready(opened, '');
  };
  if (tls !== undefined)
    return awaitReady(connectTls({ host, ...tls, ...offer(session), socket }), { ready: take, failed });
  take(socket);
  return { cancel: () => undefined };
}

/** Node reads into a given buffer only for sockets that it connects itself. */
function copyInto(onread: ReadInto, socket: Socket): void {
  const { buffer } = onread;
  const into = typeof buffer === 'function' ? buffer() : buffer;
  socket.on('data', (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; at += into.length) {
      const part = bytes.subarray(at, at + into.length);
      into.set(part);
      onread.callback(part.length, into);
    }
  });
  socket.resume();
}
