import type { Answer, CheckRequest, ReceivedEvent, KeyUsed, Post } from '../../conformance/exchanges.ts';
import type { HeaderFields, Operation, StreamEvent, StreamFormat } from '../../protocol/protocol.ts';
import type { Send } from '../../session/send.ts';
import type { SenderOptions } from './sender/sender-options.ts';
import { openSender } from './open-sender.ts';
import { checkApiKey, checkBaseUrl } from './request/request-head.ts';
import { EventReader } from './stream/event-reader.ts';

export interface PosterOptions extends Omit<SenderOptions, 'apiKey'> {
  /** Wraps the port of an exchange so that its requests have the header fields of the scenario. */
  head?: ((operation: Operation, send: Send) => Send) | undefined;
  keys: Readonly<Record<Exclude<KeyUsed, 'none'>, string>>;
}

/**
 * Posts single exchanges, each by a sender and on a connection of its own, and returns what rules look at, headers too.
 * Slow: for a check, not for load. Throws `ChatLoadError` (usage) for a base URL or a key that cannot be used.
 */
export function openPoster(options: PosterOptions): Post {
  checkBaseUrl(options.baseUrl);
  const { keys, authorization, clock } = options;
  for (const key of [keys.wrong, keys.wrong_kind, ...(authorization === undefined ? [keys.good] : [])])
    checkApiKey(key);
  return async (asked) => {
    const sentAtMs = clock.wallNow();
    const answer = await exchange(options, asked);
    return { ...answer, sentAtMs, endedAtMs: clock.wallNow() };
  };
}

type Read = Omit<Answer, 'sentAtMs' | 'endedAtMs'>;

const blank: Read = { status: 0, contentType: '', retryAfter: '', body: '', failure: undefined, detail: '' };

async function exchange(options: PosterOptions, { key, leavesEarly = false, ...asked }: CheckRequest): Promise<Read> {
  const { keys, headers, clock, head } = options;
  const sender = openSender({
    ...options,
    apiKey: keys.good,
    authorization: credentialOf(options, key),
    headers: { ofRequests: [], ...headers, constant: { ...headers?.constant, Connection: 'close' } },
    expectContinue: false,
  });
  // The sender is reading when an event comes: it is cut after that.
  const leave = (): void => queueMicrotask(() => sender.cut());
  const heard = new HeardEvents({ isHttp2: options.http2 === true, came: leavesEarly ? leave : () => undefined });
  const { operation, stream } = asked.route;
  const route = { ...asked.route, stream: stream && heard.format, wantedHeaders: ['content-type', 'retry-after'] };
  const send = head?.(operation, sender.send) ?? sender.send;
  const came = await send({ ...asked, route }, clock.now());
  await sender.close();
  const hasLeft = leavesEarly && came.failure === 'aborted' && heard.hasAny;
  const failure = hasLeft ? undefined : came.failure;
  const detail = failure === 'timed_out' ? `not within ${String(options.timeoutMs)} ms` : hasLeft ? '' : came.detail;
  // Of a streamed reply that broke off, what had come is there to be looked at.
  if (failure !== undefined && heard.events === undefined) return { ...blank, failure, detail };
  const { 'content-type': contentType = heard.events && 'text/event-stream', 'retry-after': retryAfter = '' } =
    came.headers ?? {};
  const { status, body } = came;
  const events = heard.events ?? (isEventStream(contentType) ? eventsIn(body) : undefined);
  return { status, contentType: contentType ?? '', retryAfter, body, events, failure, detail };
}

function credentialOf({ authorization, authorize, keys }: PosterOptions, key: KeyUsed): HeaderFields {
  if (key === 'none') return {};
  return (key === 'good' ? authorization : undefined) ?? authorize(keys[key]);
}

const isEventStream = (contentType = ''): boolean => /^text\/event-stream\b/i.test(contentType);

/** The events of a body that was read as a whole. */
function eventsIn(body: string): ReceivedEvent[] {
  const bytes = Buffer.from(body);
  const events: ReceivedEvent[] = [];
  const event = ({ type }: StreamEvent): void => void events.push({ type, data: reader.event.text(), read: 1 });
  const reader = new EventReader('sse', { event }, Infinity);
  reader.take(bytes, 0, bytes.length);
  return events;
}

/** The events of a streamed reply, each with the read of the connection that brought its last byte. */
class HeardEvents {
  /** `undefined`: no such reply has begun. */
  events: ReceivedEvent[] | undefined;
  readonly format: StreamFormat;
  readonly #came: () => void;
  /** Calls back between two reads: frames of HTTP/2 are handed over one by one. */
  readonly #afterRead: (callback: () => void) => unknown;
  #reads = 0;
  #isReading = false;

  constructor({ isHttp2, came }: { isHttp2: boolean; came: () => void }) {
    this.#came = came;
    this.#afterRead = isHttp2 ? setImmediate : queueMicrotask;
    const take = (event: StreamEvent): 'other' => this.#take(event);
    const conclude = (): never => {
      throw new Error('the reply of an exchange of a check is read by its rules');
    };
    this.format = { framing: 'sse', begin: () => this.#begin({ text: '', hasEnded: false, take, conclude }) };
  }

  get hasAny(): boolean {
    return this.events !== undefined && this.events.length > 0;
  }

  #begin<Stream>(stream: Stream): Stream {
    this.events = [];
    return stream;
  }

  #take(event: StreamEvent): 'other' {
    if (!this.#isReading) {
      this.#reads++;
      this.#isReading = true;
      this.#afterRead(() => (this.#isReading = false));
    }
    this.events?.push({ type: event.type, data: event.text(), read: this.#reads });
    this.#came();
    return 'other';
  }
}
