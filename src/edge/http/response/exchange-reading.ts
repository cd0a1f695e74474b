import type { GrowingBytes } from '../../../base/growing-bytes.ts';
import { instant, type Instant } from '../../../base/time.ts';
import type { HeaderFields, Route } from '../../../protocol/protocol.ts';
import type { Exchange } from '../../../session/send.ts';
import type { ReadPace } from '../exchange/read-pace.ts';
import { safeDetail } from '../exchange/safe-detail.ts';
import { beginReply, type StreamedReply } from '../stream/streamed-reply.ts';
import { decodeBody } from './decode-body.ts';
import type { FastResponse } from './fast-response.ts';
import { isStatedStream, isStream, type Fault, type ResponseHead } from './response-head.ts';
import type { ResponseLimits } from './response-parser.ts';

/** Settings and resources that the readers of one sender share. */
export interface ReadingSettings {
  limits: ResponseLimits;
  maxEventBytes: number;
  redact: (text: string) => string;
  cookies: boolean;
  pace: ReadPace;
}

export type WantedOfResponse = Pick<Route, 'stream' | 'wantedHeaders'>;

/** Reads the responses of exchanges: the part that is common to both versions of HTTP. */
export abstract class ExchangeReading<Settings extends ReadingSettings = ReadingSettings> {
  exchange: Exchange = noExchange;
  protected readonly settings: Settings;
  protected wanted: WantedOfResponse = {};
  protected streamed: StreamedReply | undefined;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** True if the end of a streamed reply has arrived: its response may still be open. */
  get hasReplyEnded(): boolean {
    return this.streamed?.reply.hasEnded ?? false;
  }

  protected openStream(head: ResponseHead, now: Instant): StreamedReply | undefined {
    const { stream } = this.wanted;
    if (stream === undefined) return undefined;
    const isAnnounced = isStream(head, stream);
    if (!isAnnounced && !isStatedStream(head, stream)) return undefined;
    this.streamed = beginReply(stream, { now, maxEventBytes: this.settings.maxEventBytes, isAnnounced });
    return this.streamed;
  }

  /** Stores a complete response. Returns the fault of its body. */
  protected keepWhole(head: ResponseHead, coded: GrowingBytes | undefined): Fault {
    const { exchange, settings, wanted, streamed } = this;
    const body =
      head.contentCoding === undefined || coded === undefined
        ? coded
        : decodeBody(head.contentCoding, coded, settings.limits.maxBodyBytes);
    if (typeof body === 'string') return body;
    keepHeaders(exchange, head, settings);
    if (wanted.wantedHeaders?.includes('set-cookie') === true) exchange.setsCookie = false;
    if (wanted.wantedHeaders !== undefined) exchange.headers = pickHeaders(head, wanted.wantedHeaders);
    streamed?.end();
    const whole = streamed === undefined ? body : streamed.unread;
    if (whole !== undefined) {
      exchange.body = withoutMark(whole.text());
      if (exchange.body.includes(replacement)) exchange.isUtf8 = whole.isUtf8();
    }
    this.keepReceived(head);
    return undefined;
  }

  /** Stores the received part of a response. */
  protected keepReceived(head: ResponseHead | undefined): void {
    const { exchange, streamed } = this;
    if (head !== undefined) {
      exchange.status = head.status;
      keepWait(exchange, head);
      if (this.settings.cookies) exchange.setCookies = cookieLines(head);
    }
    if (streamed === undefined || streamed.unread !== undefined) return;
    exchange.stream = streamed.reply;
    exchange.content = streamed.content;
    exchange.isUtf8 = streamed.isUtf8;
  }
}

/** Stands for bytes that are not UTF-8 in decoded text. A server may send it itself: only then is a check needed. */
export const replacement = '\u{fffd}';

/** Removes a byte order mark, as clients do. */
export function withoutMark(text: string): string {
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text;
}

const byteOrderMark = 0xfeff;

/** Stores the wait that a server requests. */
export function keepWait(
  exchange: Exchange,
  { retryAfter, waits, date }: Pick<FastResponse, 'retryAfter' | 'waits' | 'date'>,
): void {
  exchange.retryAfter = retryAfter;
  exchange.waits = waits;
  exchange.date = date;
}

/** Stores signs of a wrong service or of one in between, which nearly no response has. */
export function keepHeaders(
  exchange: Exchange,
  {
    contentType,
    location,
    setsCookie,
    cacheMark,
  }: Pick<FastResponse, 'contentType' | 'location' | 'setsCookie' | 'cacheMark'>,
  { redact, cookies }: Pick<ReadingSettings, 'redact' | 'cookies'>,
): void {
  if (setsCookie && !cookies) exchange.setsCookie = true;
  if (cacheMark !== undefined) exchange.cacheMark = safeDetail(cacheMark, redact);
  if (contentType !== undefined) exchange.contentType = safeDetail(contentType, redact);
  if (location !== undefined) exchange.location = safeDetail(location, redact);
}

/** Returns the values of the `Set-Cookie` fields of a response; `undefined` if it sets none. */
function cookieLines({ headers }: ResponseHead): string[] | undefined {
  const lines = headers.filter(([name]) => name.toLowerCase() === 'set-cookie').map(([, value]) => value);
  return lines.length === 0 ? undefined : lines;
}

/** Returns the wanted header fields, by their names in lower case; `*` is all of them; `set-cookie` as pairs for a `Cookie` field. */
function pickHeaders({ headers }: ResponseHead, wanted: readonly string[]): HeaderFields {
  const picked: Record<string, string> = {};
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    if (!wanted.includes(name) && !wanted.includes('*')) continue;
    const pair = value.split(';', 1)[0]?.trim() ?? '';
    if (name !== 'set-cookie') picked[name] ??= value;
    // Only characters of a header field: a server must not write our requests.
    else if (/^[\x21-\x7e]+$/.test(pair)) picked[name] = [picked[name] ?? [], pair].flat().join('; ');
  }
  return picked;
}

/** Creates an exchange of which only the start is known. All exchanges begin as this, so that all have one shape. */
export function blankExchange(sentAt: Instant, reused: boolean, isHttp2 = false): Exchange {
  return {
    sentAt,
    firstByteAt: undefined,
    endedAt: sentAt,
    connectMs: undefined,
    reused,
    failure: undefined,
    status: 0,
    retryAfter: undefined,
    waits: undefined,
    date: undefined,
    contentType: undefined,
    location: undefined,
    body: '',
    isUtf8: true,
    detail: '',
    stream: undefined,
    content: undefined,
    headers: undefined,
    isHttp2,
  };
}

export const noExchange: Exchange = Object.freeze(blankExchange(instant(0), false));
