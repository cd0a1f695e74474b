import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions as HttpsRequestOptions, request as requestHttps } from 'node:https';
import { toolVersion } from '../tool-version.ts';
import type { ScrapedPage } from './endpoint-account.ts';
import type { WantedSeries } from './known-series.ts';
import { SampleReader } from './sample-reader.ts';

/** Maximum size of a body. */
const maxBytes = 10 * 1024 * 1024;

/** Maximum duration of a scrape, in milliseconds. */
const scrapeLimitMs = 5000;

interface ScrapeOptions {
  /** Maximum duration, in milliseconds. */
  limitMs?: number | undefined;
  /** True to use a connection of its own, which another process may accept. */
  isFresh?: boolean;
}

/** Verification of a metrics server with https: the authorities of the target, but never its client certificate. */
export interface MetricsTls {
  ca?: Buffer | undefined;
  rejectUnauthorized: boolean;
}

/** Connection to one metrics server, apart from those of the load; it sends no credentials and follows no redirects. */
export class Scraper {
  readonly #url: URL;
  readonly #agent: HttpAgent;
  readonly #tls: MetricsTls;

  constructor(url: string, tls: MetricsTls) {
    this.#url = new URL(url);
    this.#tls = tls;
    const options = { keepAlive: true, maxSockets: 1 };
    this.#agent = this.#url.protocol === 'https:' ? new HttpsAgent({ ...options, ...tls }) : new HttpAgent(options);
  }

  /** Reads the wanted series as they arrive, chunk by chunk, so that a large body does not delay the load. Rejects with the reason. */
  async scrape(
    wanted: readonly WantedSeries[],
    cut: AbortSignal,
    { limitMs = scrapeLimitMs, isFresh = false }: ScrapeOptions = {},
  ): Promise<ScrapedPage> {
    const late = AbortSignal.timeout(limitMs);
    try {
      return await read(await this.#request({ signal: AbortSignal.any([cut, late]), isFresh }), wanted);
    } catch (thrown) {
      if (late.aborted) throw new Error(`no complete response within ${String(limitMs / 1000)} s`, { cause: thrown });
      throw thrown;
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #request(
    { signal, isFresh }: { signal: AbortSignal; isFresh: boolean },
    isRepeated = false,
  ): Promise<IncomingMessage> {
    const options: HttpsRequestOptions = {
      ...(isFresh ? { agent: false, ...this.#tls } : { agent: this.#agent }),
      signal,
      headers: { Accept: 'text/plain;version=0.0.4', 'User-Agent': `chat-load/${toolVersion}` },
    };
    return new Promise((resolve, reject) => {
      const send = this.#url.protocol === 'https:' ? requestHttps : requestHttp;
      const request = send(this.#url, options, resolve);
      request.on('error', (error) => {
        // The server closed the idle connection at this moment.
        if (request.reusedSocket && !isRepeated && !signal.aborted) resolve(this.#request({ signal, isFresh }, true));
        else reject(error);
      });
      request.end();
    });
  }
}

async function read(response: IncomingMessage, wanted: readonly WantedSeries[]): Promise<ScrapedPage> {
  try {
    refuse(response);
    const [reader, decoder] = [new SampleReader(wanted), new TextDecoder()];
    let [bytes, opening] = [0, ''];
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new Error('the body is larger than 10 MB');
      const text = decoder.decode(chunk, { stream: true });
      if (opening === '') opening = text.trimStart().slice(0, 1);
      reader.push(text);
    }
    const page = reader.end();
    const serverMs = Date.parse(response.headers.date ?? '');
    const hasNames = wanted.some(({ preset }) => preset === null);
    // A counter may appear with the first request: it counts from zero.
    if (page.families.size > 0 || page.isDeclared || (hasNames && page.isMetrics))
      return { ...page, serverMs: Number.isNaN(serverMs) ? undefined : serverMs };
    const other = otherFormats.get(opening);
    if (other !== undefined && !page.isMetrics)
      throw new Error(`not metrics in Prometheus' text format: it is ${other}`);
    throw new Error(
      hasNames
        ? `it has none of the series ${wanted.map(({ key }) => key).join(', ')}`
        : 'it has no series of vLLM, SGLang, LiteLLM or the node exporter: name the series to read (target.metrics[].series)',
    );
  } finally {
    // A body that was not read to its end would occupy the connection.
    response.destroy(response.complete ? undefined : new Error(''));
  }
}

/** Other formats by their first character, which begins no line of metrics: a brace may, before a quoted name. */
const otherFormats: ReadonlyMap<string, string> = new Map([
  ['"', 'a JSON string'],
  ['[', 'a JSON document'],
  ['<', 'an HTML or XML page'],
]);

/** Throws the reason for a response that cannot be metrics. */
function refuse({ statusCode = 0, headers }: IncomingMessage): void {
  const { location, 'content-type': type = '', 'content-encoding': encoding } = headers;
  if (statusCode >= 300 && statusCode < 400 && location !== undefined)
    throw new Error(
      `status ${String(statusCode)}: redirects are not followed; the new address is ${withoutSecrets(location).slice(0, 200)}`,
    );
  if (statusCode === 401 || statusCode === 403)
    throw new Error(
      `status ${String(statusCode)}: the key of the target is not sent to its metrics; allow this machine to read them`,
    );
  if (statusCode !== 200) throw new Error(`status ${String(statusCode)}`);
  if (/html|json/i.test(type)) throw new Error(`not metrics in Prometheus' text format (${type.slice(0, 100)})`);
  if (encoding !== undefined && encoding !== 'identity')
    throw new Error(`the body is compressed (${encoding.slice(0, 20)})`);
}

/** Removes the user, the password and the query of an address. */
const withoutSecrets = (address: string): string => address.replace(/\/\/[^/@]*@/, '//').replace(/[?#].*/s, '');
