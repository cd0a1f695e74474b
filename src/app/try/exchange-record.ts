import { isCredential, maskQuery } from '../../base/header-field.ts';
import { between, type Clock, type Instant } from '../../base/time.ts';
import type { ContactEvent, ContactExchange, ContactResponse } from '../../conformance/contact/contact.ts';
import { authorizationOf, composeRequest, composeRequestHead, urlOf } from '../../edge/http/request/request-head.ts';
import { optionsTo } from '../../edge/http/sender/origin-senders.ts';
import type { SenderOptions } from '../../edge/http/sender/sender-options.ts';
import type { ChatRequest, SocketExchange } from '../../protocol/protocol.ts';
import type { Exchange } from '../../session/send.ts';

/** Options for sending exchanges and recording them without secrets. */
export interface Tapping {
  options: SenderOptions;
  clock: Clock;
  redact: (text: string) => string;
}

/** Returns the frames of an exchange on a socket that was open before. */
export function framesSent(
  { options, redact }: Tapping,
  { route }: ChatRequest,
  frames: readonly string[],
): ContactExchange['request'] {
  const url = redact(maskQuery(urlOf(options.baseUrl, route).href));
  return { method: 'SEND', url, fields: [], body: redact(frames.join('\n')) };
}

/** Returns a request over HTTP, or the upgrade of a socket and the frames that were sent after it. */
export function requestOf(
  { redact, options: all }: Tapping,
  { route, body, bodyBytes = Buffer.byteLength(body), fields = '', socket }: ChatRequest,
  frames: readonly string[],
): ContactExchange['request'] {
  const options = optionsTo(route.origin, all);
  const head = composeRequestHead({ ...options, route, authorization: authorizationOf(options) });
  const [sentHead = ''] = composeRequest(head, { body, bodyBytes, fields }).text.split('\r\n\r\n', 1);
  const [, ...fieldLines] = sentHead.split('\r\n');
  const lines = socket === undefined ? fieldLines : upgraded(fieldLines, socket);
  const named = lines.map((line): [string, string] => {
    const end = line.indexOf(':');
    const name = line.slice(0, end);
    return [name, masked(name, redact(line.slice(end + 1).trim()))];
  });
  // HTTP/2 has no connection-specific fields.
  const sent = named.filter(([name]) => options.http2 !== true || !/^(?:connection|host)$/i.test(name));
  const text = socket === undefined ? body : frames.join('\n');
  return {
    method: route.method,
    url: redact(maskQuery(urlOf(options.baseUrl, route).href)),
    fields: sent,
    body: redact(text),
  };
}

export function responseOf({ redact }: Tapping, exchange: Exchange, events: readonly ContactEvent[]): ContactResponse {
  const { sentAt, firstByteAt, endedAt, content, stream } = exchange;
  const since = (at: Instant): number => between(sentAt, at);
  return {
    status: exchange.status,
    version: exchange.status === 101 ? 'WebSocket' : exchange.isHttp2 === true ? 'HTTP/2' : 'HTTP/1.1',
    contentType: redact(exchange.headers?.['content-type'] ?? exchange.contentType ?? ''),
    fields: Object.entries(exchange.headers ?? {})
      .filter(([name]) => name !== 'content-type')
      .map(([name, value]) => [name, isLimit(name) ? redact(value) : masked(name, redact(value))] as const),
    detail: redact(exchange.detail),
    firstByteMs: firstByteAt === undefined ? undefined : since(firstByteAt),
    totalMs: since(endedAt),
    body: redact(exchange.body.slice(0, keptBody)),
    bodyLength: exchange.body.length,
    events:
      stream === undefined
        ? undefined
        : events.map(({ atMs, type, data }) => ({
            atMs: Math.min(atMs, since(endedAt)),
            type: redact(type),
            data: redact(data),
          })),
    content: content && {
      firstMs: since(content.firstAt),
      lastMs: since(content.lastAt),
      events: content.gapsMs.length + content.sharedReads + 1,
    },
  };
}

/** Reports whether a field limits or counts tokens, which are no credentials. */
const isLimit = (name: string): boolean => /limit|remaining|reset|usage|count/.test(name);

/** Maximum length of a stored body: far more than is shown; redacting megabytes takes seconds. */
export const keptBody = 100_000;

/** Returns the lines of the upgrade of a socket, without the fields that only the library writes. */
const upgraded = (lines: readonly string[], { subprotocols }: SocketExchange): string[] => [
  ...lines.filter((line) => !/^(?:connection|content-length):/i.test(line)),
  'Connection: Upgrade',
  'Upgrade: websocket',
  ...(subprotocols.length === 0 ? [] : [`Sec-WebSocket-Protocol: ${subprotocols.join(', ')}`]),
];

/** Masks the value of a credential field except its scheme. */
function masked(name: string, value: string): string {
  if (!isCredential(name)) return value;
  const [scheme] = /^(?:Bearer|Basic|Token)(?= )/i.exec(value) ?? [];
  return scheme === undefined ? '[redacted]' : `${scheme} [redacted]`;
}
