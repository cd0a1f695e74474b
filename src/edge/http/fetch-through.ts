import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ProxyServer } from '../../base/proxy-server.ts';
import { connectTo } from './connect/connect-to.ts';
import { aimSocket } from './connect/open-socket.ts';
import { proxyFields, requestTarget } from './request/request-head.ts';
import type { TlsOptions } from './connect/secure-options.ts';

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
  return (text, { method, headers, body, signal = AbortSignal.timeout(longestMs) }) => {
    const url = new URL(text);
    const form = body.toString();
    const how: RequestOptions = {
      method,
      path: requestTarget(url, proxy),
      signal,
      createConnection: connectTo(aimSocket(url, tls, { proxy }), signal),
      headers: { ...headers, ...proxyFields(url, proxy), 'Content-Length': Buffer.byteLength(form) },
    };
    return new Promise((resolve, reject) => {
      const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, how, (response) => {
        read(response).then(resolve, reject);
      });
      request.on('error', reject);
      request.end(form);
    });
  };
}

const longestMs = 30_000;
/** No token is as large. */
const mostBytes = 1024 * 1024;

async function read(response: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > mostBytes) throw new Error('its answer is over 1 MiB');
  }
  const { statusCode: status = 0, headers } = response;
  const hasBody = status >= 200 && status !== 204 && status !== 304;
  return new Response(hasBody ? Buffer.concat(chunks) : null, {
    status: Math.max(200, status),
    headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  });
}
