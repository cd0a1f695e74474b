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
 * Posts single exchanges, each with a sender and on a separate connection, and returns the values that rules check,
 * headers included. Slow: for a check, not for load. Throws `ChatLoadError` (usage) for a base URL or a key that cannot be used.
 */
export function openPoster(options: PosterOptions): Post {
  checkBaseUrl(options.baseUrl);
  const { keys, authorization, clock } = options;
  for (const key of [keys.wrong, keys.wrong_kind, ...(authorization === undefined ? [keys.good] : [])])
    checkApiKey(key);
  return async (asked) => {
    const sentAtMs = clock.wallNow();
    const answer = await postOne(options, asked);
    return { ...answer, sentAtMs, endedAtMs: clock.wallNow() };
  };
}

async function postOne(
  options: PosterOptions,
  { key, leavesEarly = false, ...asked }: CheckRequest,
): Promise<Omit<Answer, 'sentAtMs' | 'endedAtMs'>> {
  const { keys, headers, clock, head } = options;
  const sender = openSender({
    ...options,
    apiKey: keys.good,
    authorization: credentialOf(options, key),
    signedWith: key === 'good' ? options.signedWith : undefined,
    headers: { ofRequests: [], ...headers, constant: { ...headers?.constant, Connection: 'close' } },
    expectContinue: false,
  });
  // The sender is reading when an event arrives: it is cut after that.
  const leave = (): void => queueMicrotask(() => sender.cut());
  const { operation, stream } = asked.route;
  const events = collectEvents(options.http2 === true, {
    framing: stream?.framing ?? 'sse',
    isJson: stream?.isJson,
    mayBeArray: stream?.mayBeArray,
    received: leavesEarly ? leave : () => undefined,
  });
  const route = { ...asked.route, stream: stream && events.format, wantedHeaders: ['content-type', 'retry-after'] };
  const send = head?.(operation, sender.send) ?? sender.send;
  const exchange = await send({ ...asked, route }, clock.now());
  await sender.close();
  const { status, body, headers: received = {} } = exchange;
  const hasLeft = leavesEarly && exchange.failure === 'aborted' && (events.list?.length ?? 0) > 0;
  const failure = hasLeft ? undefined : exchange.failure;
  const detail =
    failure === 'timed_out' ? `not within ${String(options.timeoutMs)} ms` : hasLeft ? '' : exchange.detail;
  // The received events of a broken streamed reply are checked too.
  if (failure !== undefined && events.list === undefined)
    return { status: 0, contentType: '', retryAfter: '', body: '', failure, detail };
  const { 'content-type': contentType = events.list ? 'text/event-stream' : '', 'retry-after': retryAfter = '' } =
    received;
  const isEventStream = /^text\/event-stream\b/i.test(contentType);
  return {
    status,
    contentType,
    retryAfter,
    body,
    events: events.list ?? (isEventStream ? eventsIn(body) : undefined),
    failure,
    detail,
  };
}

/** Returns the header fields with a key. */
export function credentialOf({ authorization, authorize, keys }: PosterOptions, key: KeyUsed): HeaderFields {
  if (key === 'none') return {};
  return (key === 'good' ? authorization : undefined) ?? authorize(keys[key]);
}

/** Returns the events of a body that was not read as a stream. */
function eventsIn(body: string): ReceivedEvent[] {
  const bytes = Buffer.from(body);
  const events: ReceivedEvent[] = [];
  const event = ({ type }: StreamEvent): void => void events.push({ type, data: reader.event.text(), read: 1 });
  const reader = new EventReader({ event }, { framing: 'sse', maxEventBytes: Infinity });
  reader.take(bytes, 0, bytes.length);
  return events;
}

/**
 * Collects the events of a streamed reply, each with the read of the connection that contained its last byte. `list` is
 * `undefined` until such a reply begins.
 */
function collectEvents(
  isHttp2: boolean,
  {
    framing,
    isJson,
    mayBeArray,
    received,
  }: Pick<StreamFormat, 'framing' | 'isJson' | 'mayBeArray'> & { received: () => void },
) {
  const events: { list: ReceivedEvent[] | undefined; format: StreamFormat } = {
    list: undefined,
    format: {
      framing,
      ...(isJson === true && { isJson }),
      ...(mayBeArray === true && { mayBeArray }),
      begin: () => {
        events.list = [];
        return { text: '', hasEnded: false, take, conclude };
      },
    },
  };
  // Calls back between two reads: frames of HTTP/2 are passed on one by one.
  const afterRead: (callback: () => void) => unknown = isHttp2 ? setImmediate : queueMicrotask;
  let read = 0;
  let isReading = false;
  const take = (event: StreamEvent): 'other' => {
    if (!isReading) {
      read++;
      isReading = true;
      afterRead(() => (isReading = false));
    }
    events.list?.push({
      type: event.type,
      data: event.text(),
      read,
      ...(event.isUnseparated === true && { isUnseparated: true }),
    });
    received();
    return 'other';
  };
  const conclude = (): never => {
    throw new Error('the reply of an exchange of a check is read by its rules');
  };
  return events;
}
