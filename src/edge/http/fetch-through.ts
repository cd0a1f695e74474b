import type { ProxyServer } from '../../base/proxy-server.ts';
import { ms } from '../../base/time.ts';
import type { Exchange } from '../../session/send.ts';
import { systemClock } from '../clock.ts';
import type { TlsOptions } from './connect/secure-options.ts';
import { openSender } from './open-sender.ts';
import { toolVersion } from '../tool-version.ts';

/** How a server beside the target is reached. */
interface Way {
  tls: TlsOptions;
  proxy: ProxyServer | undefined;
}

interface Asked {
  method: string;
  headers: Record<string, string>;
  body: URLSearchParams;
  signal?: AbortSignal;
}

/** A fetch for a form that is posted, by the way that requests of a run go: its proxy and its certificates. No redirect is followed. */
type PostForm = (url: string, asked: Asked) => Promise<Response>;

export function fetchThrough({ tls: ofTarget, proxy }: Way): PostForm {
  const tls = { ...ofTarget };
  delete tls.servername;
  return async (text, asked) => {
    const url = new URL(text);
    const first = await post(url, asked, { tls, proxy, http2: false });
    // A server that has HTTP/2 alone refuses the handshake: nothing was sent to it.
    const mayBeHttp2 = first.failure === 'connect_failed' && url.protocol === 'https:';
    const second = mayBeHttp2 ? await post(url, asked, { tls, proxy, http2: true }) : first;
    const { failure, detail, status, body, headers } = second.failure === 'connect_failed' ? first : second;
    asked.signal?.throwIfAborted();
    if (failure !== undefined) throw new Error(detail);
    const hasBody = status !== 204 && status !== 304;
    return new Response(hasBody ? Buffer.from(body) : null, { status, headers: { ...headers } });
  };
}

const maxMs = ms(30_000);

async function post(
  { origin, pathname, search }: URL,
  { method, headers, body, signal }: Asked,
  way: Way & { http2: boolean },
): Promise<Exchange> {
  const sender = openSender({
    ...way,
    baseUrl: new URL(origin),
    apiKey: '',
    authorize: () => ({}),
    authorization: {},
    toolVersion,
    headers: { constant: { ...headers, Connection: 'close' }, ofRequests: [] },
    timeoutMs: maxMs,
    connectTimeoutMs: maxMs,
    idleConnectionMs: ms(0),
    maxHeadBytes: 64 * 1024,
    // No token is as large.
    maxBodyBytes: 1024 * 1024,
    clock: systemClock,
  });
  const cut = (): void => sender.cut();
  signal?.addEventListener('abort', cut, { once: true });
  const wantedHeaders = ['content-type', 'www-authenticate'];
  const route = { operation: 'create' as const, method, path: pathname + search, headers: {}, wantedHeaders };
  const exchange = await sender.send({ route, body: body.toString() }, systemClock.now());
  signal?.removeEventListener('abort', cut);
  await sender.close();
  return exchange;
}
