import type { ExchangeFailure } from '../../../protocol/outcome.ts';

/** Error codes of HTTP/2 (RFC 9113, section 7), explained if the name does not suffice for users. */
const codes: readonly (readonly [name: string, meaning?: string])[] = [
  ['NO_ERROR'],
  ['PROTOCOL_ERROR', 'the response breaks the rules of HTTP/2, or the server reports that the request does'],
  ['INTERNAL_ERROR', 'the server failed'],
  ['FLOW_CONTROL_ERROR', 'more was sent than was allowed'],
  ['SETTINGS_TIMEOUT'],
  ['STREAM_CLOSED'],
  ['FRAME_SIZE_ERROR', 'a frame has a wrong length'],
  ['REFUSED_STREAM', 'the server did not process it'],
  ['CANCEL', 'the server cancelled it'],
  ['COMPRESSION_ERROR', 'a head could not be decoded'],
  ['CONNECT_ERROR'],
  ['ENHANCE_YOUR_CALM', 'the server asks for less load'],
  ['INADEQUATE_SECURITY', 'the server wants better encryption'],
  ['HTTP_1_1_REQUIRED', 'the server requires HTTP/1.1: omit target.http2 (--http2)'],
];

export const noError = 0;
export const refusedStream = 7;
export const cancelled = 8;

export function describeCode(code: number): string {
  const [name, meaning] = codes[code] ?? [`code ${String(code)}`];
  return meaning === undefined ? name : `${name}: ${meaning}`;
}

export const breaches: ReadonlySet<number> = new Set([1, 3, 5, 6, 9]);

/** Detail of a breach that Node.js does not report: its session ends by itself. */
export const silentBreach = 'the connection is unusable: the server broke the rules of HTTP/2';

/** Returns the detail of an error of a session, and the failure of the exchanges on it. */
export function brokenBy(error: Error): [how: string, failure: ExchangeFailure] {
  return 'code' in error && error.code === 'ERR_HTTP2_ERROR'
    ? [`the server broke the rules of HTTP/2 (${error.message}), which ended the connection`, 'malformed']
    : [`the connection broke (${error.message})`, 'connection_lost'];
}

/** The server's notice that it closes a connection, with the last stream that it has begun with. */
export class GoAway {
  readonly code: number;
  readonly reason: string;
  readonly #lastStream: number;

  constructor(code: number, lastStream: number) {
    this.code = code;
    this.reason = `GOAWAY, ${describeCode(code)}`;
    this.#lastStream = lastStream;
  }

  /** Reports whether the server has not begun with a stream; one that was not sent yet has no number. */
  excludes(stream: number | undefined): boolean {
    return stream === undefined || stream > this.#lastStream;
  }
}
