import type { SocketAim } from '../connect/open-socket.ts';

/** The same way, with HTTP/2 offered in the TLS handshake and nothing else. */
export function offerHttp2(aim: SocketAim): SocketAim {
  return aim.tls === undefined ? aim : { ...aim, tls: { ...aim.tls, ALPNProtocols: ['h2'] } };
}
