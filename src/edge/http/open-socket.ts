import { X509Certificate } from 'node:crypto';
import { connect as connectTcp, isIP } from 'node:net';
import type { LookupFunction, Socket, TcpNetConnectOpts } from 'node:net';
import { connect as connectTls, createSecureContext } from 'node:tls';
import type { ConnectionOptions, SecureContext } from 'node:tls';
import { ChatLoadError, messageOf } from '../../base/errors.ts';
import { shareLookup } from './shared-lookup.ts';

export interface TlsOptions {
  /** PEM. Replaces the certificate authorities of Node. */
  ca?: string | Buffer;
  /** Default true, whatever the environment says. */
  rejectUnauthorized?: boolean;
  /** The name to ask for and to find in the certificate, where it is not the base URL's. */
  servername?: string;
}

/** Where connections go to, worked out once. */
export interface SocketAim {
  host: string;
  port: number;
  /** Host and port, for a person. */
  place: string;
  lookup: LookupFunction;
  /** The local address of the next connection; `undefined`: the system chooses. */
  nextLocalAddress: () => string | undefined;
  /** `undefined` for plain TCP. */
  tls: ConnectionOptions | undefined;
}

/** Where incoming bytes are put, and the callback for their number. */
export type ReadInto = NonNullable<TcpNetConnectOpts['onread']>;

/** Who waits for a socket: one of the two is called, once, later than the call that opens it. */
export interface SocketListener {
  /**
   * It can be written to, and is the listener's from here on. `address` is the one that answered: asked of the socket,
   * it would be remembered there, and a reset could not be told from an end any more.
   */
  ready(socket: Socket, address: string): void;
  failed(error: Error): void;
}

/** A socket that is being opened. */
export interface OpeningSocket {
  /** Gives up: the listener hears nothing more. Without effect on a socket that is ready. */
  cancel(): void;
}

/**
 * `localAddresses` are literals of one family; connections start from each of them in turn. Throws `ChatLoadError`
 * (usage) when the CA cannot be read.
 */
export function aimSocket(baseUrl: URL, tls: TlsOptions = {}, localAddresses: readonly string[] = []): SocketAim {
  const isSecure = baseUrl.protocol === 'https:';
  const port = baseUrl.port === '' ? (isSecure ? 443 : 80) : Number(baseUrl.port);
  const host = baseUrl.hostname.replace(/^\[(.*)\]$/, '$1');
  const place = `${baseUrl.hostname}:${String(port)}`;
  const nextLocalAddress = inTurn(localAddresses);
  return { host, port, place, lookup: shareLookup(), nextLocalAddress, tls: isSecure ? secureOptions(tls) : undefined };
}

const inTurn = (localAddresses: readonly string[]): (() => string | undefined) => {
  let turn = 0;
  return () => localAddresses[turn++ % Math.max(1, localAddresses.length)];
};

/** Starts connecting. With `onread` incoming bytes are put there; else the listener reads the socket. */
export function openSocket(
  { host, port, lookup, nextLocalAddress, tls }: SocketAim,
  onread: ReadInto | undefined,
  listener: SocketListener,
): OpeningSocket {
  // Half open, so that the socket is unchanged when its end is reported.
  const options: TcpNetConnectOpts = {
    host,
    port,
    lookup,
    noDelay: true,
    allowHalfOpen: true,
    ...(onread === undefined ? {} : { onread }),
    ...fromAddress(nextLocalAddress()),
  };
  if (tls === undefined) return awaitReady(connectTcp(options), 'connect', listener);
  return awaitReady(connectTls({ ...options, ...tls }), 'secureConnect', listener);
}

/** `readyEvent` is the one that says that the socket can be written to. */
function awaitReady(socket: Socket, readyEvent: 'connect' | 'secureConnect', listener: SocketListener): OpeningSocket {
  let isOver = false;
  let address = '';
  const end = (): void => {
    isOver = true;
    socket.off(readyEvent, ready).off('error', fail).off('close', close);
  };
  const cancel = (): void => {
    if (isOver) return;
    end();
    // Nobody but us would hear of what still goes wrong.
    socket.on('error', () => undefined).destroy();
  };
  const ready = (): void => {
    end();
    listener.ready(socket, address);
  };
  const fail = (error: Error): void => {
    cancel();
    listener.failed(error);
  };
  const close = (): void => fail(new Error('the connection was closed while it was being set up'));
  // The latest attempt is the one that succeeds.
  socket.on('connectionAttempt', (tried: string) => void (address = tried));
  socket.on(readyEvent, ready).on('error', fail).on('close', close);
  return { cancel };
}

/** Of a host name only addresses of the same family can be reached from a given one. */
const fromAddress = (localAddress: string | undefined): Pick<TcpNetConnectOpts, 'localAddress' | 'family'> =>
  localAddress === undefined ? {} : { localAddress, family: isIP(localAddress) };

/** The context holds the certificate authorities, which take long to load: one for all connections. */
const secureOptions = ({ ca, rejectUnauthorized = true, servername }: TlsOptions): ConnectionOptions => ({
  secureContext: readAuthorities(ca),
  rejectUnauthorized,
  ALPNProtocols: ['http/1.1'],
  ...(servername === undefined ? {} : { servername }),
});

const readAuthorities = (ca: string | Buffer | undefined): SecureContext => {
  if (ca === undefined) return createSecureContext();
  try {
    new X509Certificate(ca); // A context silently ignores what is not a certificate.
    return createSecureContext({ ca });
  } catch (cause) {
    throw new ChatLoadError('usage', {
      message: `the CA certificate cannot be read: ${messageOf(cause)}`,
      hint: 'It must be PEM text, with a line -----BEGIN CERTIFICATE-----.',
      cause,
    });
  }
};
