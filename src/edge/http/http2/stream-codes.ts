import type { ExchangeFailure } from '../../../protocol/outcome.ts';

/** The codes by which HTTP/2 ends streams and connections (RFC 9113, section 7), with a word on those that say more to engineers than to users. */
const codes: readonly (readonly [name: string, meaning?: string])[] = [
  ['NO_ERROR'],
  ['PROTOCOL_ERROR', 'the response breaks the rules of HTTP/2, or the server says so of the request'],
  ['INTERNAL_ERROR', 'the server failed'],
  ['FLOW_CONTROL_ERROR', 'more was sent than was allowed'],
  ['SETTINGS_TIMEOUT'],
  ['STREAM_CLOSED'],
  ['FRAME_SIZE_ERROR', 'a frame has a wrong length'],
  ['REFUSED_STREAM', 'the server did not begin with it'],
  ['CANCEL', 'the server gave it up'],
  ['COMPRESSION_ERROR', 'a head could not be decoded'],
  ['CONNECT_ERROR'],
  ['ENHANCE_YOUR_CALM', 'the server asks for less load'],
  ['INADEQUATE_SECURITY', 'the server wants better encryption'],
  ['HTTP_1_1_REQUIRED', 'the server wants HTTP/1.1 for it: leave target.http2 (--http2) out'],
];

export const noError = 0;
export const refusedStream = 7;
export const cancelled = 8;

/** A code in words. */
export function wordCode(code: number): string {
  const [name, meaning] = codes[code] ?? [`code ${String(code)}`];
  return meaning === undefined ? name : `${name}: ${meaning}`;
}

/** Whether a code says that the rules of the protocol were broken. */
export function isBreach(code: number): boolean {
  return breaches.has(code);
}

const breaches: ReadonlySet<number> = new Set([1, 3, 5, 6, 9]);

/** What is said where Node.js does not report a breach: its session ends by itself. */
export const silentBreach = 'the connection is of no use any more: the server broke the rules of HTTP/2';

/** What an error of a session says of its connection, and of the exchanges on it. */
export function brokenBy(error: Error): [how: string, failure: ExchangeFailure] {
  return 'code' in error && error.code === 'ERR_HTTP2_ERROR'
    ? [`the server broke the rules of HTTP/2 (${error.message}), which ended the connection`, 'malformed']
    : [`the connection broke (${error.message})`, 'connection_lost'];
}

/** A server asks to leave a connection, and says up to which stream it has begun with them. */
export class GoAway {
  readonly code: number;
  readonly reason: string;
  readonly #lastStream: number;

  constructor(code: number, lastStream: number) {
    this.code = code;
    this.reason = `GOAWAY, ${wordCode(code)}`;
    this.#lastStream = lastStream;
  }

  /** Whether the server has not begun with a stream; one that was not sent yet has no number. */
  excludes(stream: number | undefined): boolean {
    return stream === undefined || stream > this.#lastStream;
  }
}
