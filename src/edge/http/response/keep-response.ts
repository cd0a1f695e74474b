import type { GrowingBytes } from '../../../base/growing-bytes.ts';
import type { Exchange } from '../../../session/send.ts';
import type { FastResponse } from './fast-response.ts';
import { safeDetail } from '../exchange/safe-detail.ts';
import type { StreamedReply } from '../stream/streamed-reply.ts';
import type { ResponseHead } from './response-head.ts';
import type { HeaderFields } from '../../../protocol/protocol.ts';
import type { Ms } from '../../../base/time.ts';
import type { ReadPace } from '../exchange/read-pace.ts';
import type { ResponseLimits } from './response-parser.ts';

/** What the readers of responses of one sender share. */
export interface ReadingSettings {
  limits: ResponseLimits;
  /** Of a reply in pieces. */
  maxEventBytes: number;
  idleConnectionMs: Ms;
  /** Takes secrets out of a text. */
  redact: (text: string) => string;
  /** All sockets read into this one; its content is consumed before the next read. */
  readBuffer: Buffer;
  /** Whether exchanges tell the cookies that the service sets. */
  cookies: boolean;
  fastResponse: FastResponse;
  pace: ReadPace;
}

/** What decoding puts in the place of bytes that are not UTF-8. A server may send it itself: only then a closer look is needed. */
export const replacement = '\u{fffd}';

/** Keeps how long a server asks to wait. */
export function keepWait(exchange: Exchange, { retryAfter, date }: Pick<FastResponse, 'retryAfter' | 'date'>): void {
  exchange.retryAfter = retryAfter;
  exchange.date = date;
}

/** Keeps the signs of a wrong service: nearly every response has none. */
export function keepHeaders(
  exchange: Exchange,
  { contentType, location }: Pick<FastResponse, 'contentType' | 'location'>,
  { redact }: Pick<ReadingSettings, 'redact'>,
): void {
  if (contentType === undefined && location === undefined) return;
  if (contentType !== undefined) exchange.contentType = safeDetail(contentType, redact);
  if (location !== undefined) exchange.location = safeDetail(location, redact);
}

/** Keeps a body that was put together. */
export function keepBody(exchange: Exchange, body: GrowingBytes): void {
  exchange.body = body.text();
  if (exchange.body.includes(replacement)) exchange.isUtf8 = body.isUtf8();
}

/** Keeps what came of a reply in pieces, whole or not. */
export function keepStream(exchange: Exchange, streamed: StreamedReply | undefined): void {
  if (streamed === undefined) return;
  exchange.stream = streamed.reply;
  exchange.content = streamed.content;
  exchange.isUtf8 = streamed.isUtf8;
}

/** The values of the `Set-Cookie` fields of a response; `undefined`: it sets none. */
export function cookieLines({ headers }: Pick<ResponseHead, 'headers'>): string[] | undefined {
  const lines = headers.filter(([name]) => name.toLowerCase() === 'set-cookie').map(([, value]) => value);
  return lines.length === 0 ? undefined : lines;
}

/** Of the header fields of a response those that are wanted, by their names in lower case; of `set-cookie` the pairs, as a `Cookie` field takes them. */
export function pickHeaders({ headers }: ResponseHead, wanted: readonly string[]): HeaderFields {
  const picked: Record<string, string> = {};
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    if (!wanted.includes(name)) continue;
    if (name !== 'set-cookie') picked[name] ??= value;
    else if (isPair(pairOf(value))) picked[name] = [picked[name] ?? [], pairOf(value)].flat().join('; ');
  }
  return picked;
}

const pairOf = (cookie: string): string => cookie.split(';', 1)[0]?.trim() ?? '';

/** What a header field may carry: a server must not write our requests. */
const isPair = (pair: string): boolean => /^[\x21-\x7e]+$/.test(pair);
