import { request as httpRequest } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { messageOf } from '../../base/errors.ts';
import type { Answer, Asked, KeyUsed, Post } from '../../conformance/post.ts';
import type { ExchangeFailure } from '../../protocol/outcome.ts';
import { checkApiKey, checkBaseUrl, urlOf } from './request-head.ts';
import { ResponseHead } from './response-head.ts';
import type { SenderOptions } from './sender.ts';

export interface PosterOptions extends Pick<
  SenderOptions,
  'baseUrl' | 'authorize' | 'toolVersion' | 'timeoutMs' | 'maxBodyBytes' | 'clock' | 'localAddresses'
> {
  keys: Readonly<Record<KeyUsed, string>>;
}

/**
 * Posts single exchanges, each on a connection of its own, and gives what rules look at, headers too. Slow: for a check,
 * not for load. Throws `ChatLoadError` (usage) for a base URL or a key that cannot be used.
 */
export function openPoster(options: PosterOptions): Post {
  checkBaseUrl(options.baseUrl);
  Object.values(options.keys).forEach(checkApiKey);
  const { clock } = options;
  return async (asked) => {
    const sentAtMs = clock.wallNow();
    const answer = await exchange(options, asked).catch((failed: unknown) => ({
      ...blank,
      failure: classOf(failed),
      detail: wordFailure(failed, options),
    }));
    return { ...answer, sentAtMs, endedAtMs: clock.wallNow() };
  };
}

type Read = Omit<Answer, 'sentAtMs' | 'endedAtMs'>;

const blank: Read = { status: 0, contentType: '', retryAfter: '', body: '', failure: undefined, detail: '' };

function exchange(options: PosterOptions, { route, key, body }: Asked): Promise<Read> {
  const { baseUrl, authorize, keys, toolVersion, timeoutMs, localAddresses = [] } = options;
  const url = urlOf(baseUrl, route);
  const from = localAddresses[0];
  const how: RequestOptions = {
    method: route.method,
    agent: false,
    signal: AbortSignal.timeout(timeoutMs),
    ...(from === undefined ? {} : { localAddress: from }),
    headers: {
      ...authorize(keys[key]),
      ...route.headers,
      'Content-Length': Buffer.byteLength(body),
      'Accept-Encoding': 'identity',
      'User-Agent': `chat-load/${toolVersion}`,
    },
  };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, how, (response) => {
      read(response, options.maxBodyBytes).then(resolve, reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function read(response: IncomingMessage, maxBodyBytes: number): Promise<Read> {
  const fault = codingFault(response);
  if (fault !== undefined) {
    response.destroy();
    throw new Malformed(fault);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBodyBytes)
      throw new Malformed(`the body of the response is over the limit of ${String(maxBodyBytes)} bytes`);
  }
  return {
    ...blank,
    status: response.statusCode ?? 0,
    contentType: response.headers['content-type'] ?? '',
    retryAfter: response.headers['retry-after'] ?? '',
    body: Buffer.concat(chunks).toString(),
  };
}

/** A response that came and cannot be read. */
class Malformed extends Error {}

/** Why a run would not read the body, by its own reader of heads; Node.js would wait for the end of any coding. */
function codingFault({ httpVersion, statusCode = 0, rawHeaders }: IncomingMessage): string | undefined {
  const head = new ResponseHead();
  head.takeStatusLine(`HTTP/${httpVersion} ${String(statusCode)}`);
  for (let at = 0; at < rawHeaders.length; at += 2)
    head.takeHeader(`${rawHeaders[at] ?? ''}:${rawHeaders[at + 1] ?? ''}`);
  return head.codingFault;
}

/** The class that a run gives such an exchange. */
function classOf(failed: unknown): ExchangeFailure {
  if (failed instanceof Malformed) return 'malformed';
  if (isTimeout(failed)) return 'timed_out';
  const { code = '', syscall }: NodeJS.ErrnoException = failed instanceof Error ? failed : new Error();
  if (code.startsWith('HPE_')) return 'malformed';
  return syscall === 'connect' || syscall === 'getaddrinfo' ? 'connect_failed' : 'connection_lost';
}

const isTimeout = (failed: unknown): boolean =>
  failed instanceof Error && (failed.name === 'TimeoutError' || failed.name === 'AbortError');

const wordFailure = (failed: unknown, { timeoutMs }: PosterOptions): string =>
  isTimeout(failed) ? `not within ${String(timeoutMs)} ms` : messageOf(failed);
