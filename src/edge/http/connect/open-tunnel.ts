import type { LookupFunction, Socket } from 'node:net';
import { isIP } from 'node:net';
import type { ProxyServer } from '../../../base/proxy-server.ts';
import type { OpeningSocket, SocketListener } from './await-ready.ts';
import { describeConnectTimeout, type ConnectFailure } from './connect-failure.ts';
import type { Handshake } from './handshake.ts';
import { HttpHandshake } from './http-handshake.ts';
import { proxyLeft, proxySilent, type ProxyFailure } from './proxy-failure.ts';
import { SocksHandshake } from './socks-handshake.ts';

/** Where a tunnel goes to, and through what. */
export interface TunnelAim {
  server: ProxyServer;
  host: string;
  port: number;
  /** Both, for a person. */
  place: string;
  /** Of the target's name, where that is looked up here. */
  lookup: LookupFunction;
  /** Connects to the proxy. */
  reach: (listener: SocketListener) => OpeningSocket;
  /** Does what is still to be done on the open tunnel, such as TLS with the target. */
  finish: (socket: Socket, listener: SocketListener) => Pick<OpeningSocket, 'cancel'>;
}

/**
 * Opens a socket to the target by way of a proxy.
 *
 *     [look the target up ->] connect to the proxy -> handshake with it -> finish
 */
export function openTunnel(aim: TunnelAim, listener: SocketListener): OpeningSocket {
  return new Tunnel(aim, listener);
}

class Tunnel implements OpeningSocket {
  readonly #aim: TunnelAim;
  readonly #listener: SocketListener;
  #step: Pick<OpeningSocket, 'cancel'> = { cancel: () => undefined };
  #describe: OpeningSocket['describeTimeout'];
  #isOver = false;

  constructor(aim: TunnelAim, listener: SocketListener) {
    this.#aim = aim;
    this.#listener = listener;
    this.#describe = (timeoutMs) => describeConnectTimeout(timeoutMs, aim.place);
    if (aim.server.scheme === 'socks5' && isIP(aim.host) === 0) this.#lookUp();
    else this.#reach(aim.host);
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#step.cancel();
  }

  describeTimeout(timeoutMs: number): ConnectFailure {
    return this.#describe(timeoutMs);
  }

  #lookUp(): void {
    const { host, lookup } = this.#aim;
    lookup(host, { all: true }, (error, found) => {
      if (this.#isOver) return;
      const [first] = Array.isArray(found) ? found : [];
      if (error !== null || first === undefined) this.#fail(error ?? new Error(`no address for ${host}`));
      else this.#reach(first.address);
    });
  }

  /** `host` is what the proxy is asked for. */
  #reach(host: string): void {
    const reaching = this.#aim.reach({
      ready: (socket, address) => this.#shakeHands(socket, { host, address }),
      failed: (error) => this.#fail(error),
    });
    this.#step = reaching;
    this.#describe = (timeoutMs) => reaching.describeTimeout(timeoutMs);
  }

  #shakeHands(socket: Socket, { host, address }: { host: string; address: string }): void {
    const { server, port, place } = this.#aim;
    const isSocks = server.scheme.startsWith('socks');
    const handshake = isSocks ? new SocksHandshake(server, { host, port, place }) : new HttpHandshake(server, place);
    const awaited = isSocks ? `the request for ${place}` : `the CONNECT to ${place}`;
    this.#describe = (timeoutMs) => proxySilent(server, awaited, timeoutMs);
    this.#step = shakeHands(
      { socket, handshake },
      {
        open: () => this.#finish(socket, address),
        failed: (failure) => this.#fail(failure),
        left: (how) => this.#fail(proxyLeft(server, awaited, how)),
      },
    );
  }

  #finish(socket: Socket, address: string): void {
    const { server, place, finish } = this.#aim;
    this.#describe = (timeoutMs) => describeConnectTimeout(timeoutMs, `${place} through the proxy ${server.name}`);
    this.#step = finish(socket, {
      ready: (opened) => {
        this.#isOver = true;
        this.#listener.ready(opened, address);
      },
      failed: (error) => this.#fail(error),
    });
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.cancel();
    this.#listener.failed(error);
  }
}

interface HandshakeListener {
  open: () => void;
  failed: (failure: ProxyFailure) => void;
  /** The proxy broke off; `how`, where it did not just close the connection. */
  left: (how?: string) => void;
}

function shakeHands(
  { socket, handshake }: { socket: Socket; handshake: Handshake },
  { open, failed, left }: HandshakeListener,
): Pick<OpeningSocket, 'cancel'> {
  const end = (): void => void socket.off('data', take).off('error', lose).off('end', leave).off('close', leave);
  const cancel = (): void => {
    end();
    socket.on('error', () => undefined).destroy();
  };
  const take = (bytes: Buffer): void => {
    const answer = handshake.take(bytes);
    if (Buffer.isBuffer(answer)) return void socket.write(answer);
    if (answer === undefined) return;
    if (answer !== 'open') return failed(answer);
    socket.pause();
    end();
    if (handshake.rest.length > 0) socket.unshift(handshake.rest);
    open();
  };
  const lose = ({ message }: Error): void => left(`broke the connection (${message})`);
  const leave = (): void => left();
  socket.on('data', take).on('error', lose).on('end', leave).on('close', leave);
  socket.write(handshake.opening);
  return { cancel };
}
