import type { ProxyServer } from '../../base/proxy-server.ts';
import { ms } from '../../base/time.ts';
import type { Exchange } from '../../session/send.ts';
import { systemClock } from '../clock.ts';
import type { TlsOptions } from './connect/secure-options.ts';
import { openSender } from './open-sender.ts';
import { toolVersion } from '../tool-version.ts';

/** Route to a server next to the target. */
interface Route {
  tls: TlsOptions;
  proxy: ProxyServer | undefined;
}

interface FormRequest {
  method: string;
  headers: Record<string, string>;
  body: URLSearchParams;
  signal?: AbortSignal;
}

type PostForm = (url: string, request: FormRequest) => Promise<Response>;

/** Returns a fetch for posted forms that uses the proxy and the certificates of a run. Redirects are not followed. */
export function fetchThrough({ tls: ofTarget, proxy }: Route): PostForm {
  const tls = { ...ofTarget };
  delete tls.servername;
  return async (text, request) => {
    const url = new URL(text);
    const first = await post(url, request, { tls, proxy, http2: false });
    // A server with only HTTP/2 refuses the handshake: nothing was sent to it.
    const mayBeHttp2 = first.failure === 'connect_failed' && url.protocol === 'https:';
    const second = mayBeHttp2 ? await post(url, request, { tls, proxy, http2: true }) : first;
    const { failure, detail, status, body, headers } = second.failure === 'connect_failed' ? first : second;
    request.signal?.throwIfAborted();
    if (failure !== undefined) throw new Error(detail);
    const hasBody = status !== 204 && status !== 304;
    return new Response(hasBody ? Buffer.from(body) : null, { status, headers: { ...headers } });
  };
}

const maxMs = ms(30_000);

async function post(
  { origin, pathname, search }: URL,
  { method, headers, body, signal }: FormRequest,
  options: Route & { http2: boolean },
): Promise<Exchange> {
  const sender = openSender({
    ...options,
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
    // More than any token.
    maxBodyBytes: 1024 * 1024,
    clock: systemClock,
  });
  const cut = (): void => sender.cut();
  signal?.addEventListener('abort', cut, { once: true });
  const wantedHeaders = ['content-type', 'www-authenticate'];
  const target = { operation: 'create' as const, method, path: pathname + search, headers: {}, wantedHeaders };
  const exchange = await sender.send({ route: target, body: body.toString() }, systemClock.now());
  signal?.removeEventListener('abort', cut);
  await sender.close();
  return exchange;
}
