import type { IncomingMessage } from 'node:http';
import { GrowingBytes } from '../../../base/growing-bytes.ts';
import { pickWaits } from '../../../base/wait-fields.ts';
import type { Exchange } from '../../../session/send.ts';
import { safeDetail } from '../exchange/safe-detail.ts';
import { withoutMark } from '../response/exchange-reading.ts';
import { minRefusal } from '../response/response-head.ts';

type Refusal = Pick<Exchange, 'failure' | 'detail' | 'body' | 'isUtf8'>;

/** Reads the body of a response to an upgrade. Calls back once, with a complete body or with the failure. */
export function readRefusal(response: IncomingMessage, maxBytes: number, done: (refusal: Refusal) => void): void {
  const bytes = new GrowingBytes();
  let isOver = false;
  const end = (failure: Refusal['failure'], detail: string): void => {
    if (isOver) return;
    isOver = true;
    done({ failure, detail, body: failure === undefined ? withoutMark(bytes.text()) : '', isUtf8: bytes.isUtf8() });
  };
  response.on('data', (read: Buffer) => {
    if (bytes.length + read.length > maxBytes) end('malformed', `the body is larger than ${String(maxBytes)} bytes`);
    else bytes.append(read, 0, read.length);
  });
  response.on('end', () => end(undefined, ''));
  response.on('close', () => end('connection_lost', 'the connection was closed in the body'));
  response.on('error', ({ message }) => end('connection_lost', `the connection broke in the body: ${message}`));
}

/** Records the head of a response to an upgrade. */
export function recordHead(
  exchange: Exchange,
  { statusCode = 0, headers }: IncomingMessage,
  keepsCookies: boolean,
): void {
  exchange.status = statusCode;
  exchange.retryAfter = headers['retry-after'];
  exchange.waits = statusCode >= minRefusal ? pickWaits(headers) : undefined;
  exchange.date = headers.date;
  if (keepsCookies) exchange.setCookies = headers['set-cookie'];
}

/** Records a refusal that was read, with the header fields that explain it. */
export function recordRefusal(
  exchange: Exchange,
  { refusal, response, redact }: { refusal: Refusal; response: IncomingMessage; redact: (text: string) => string },
): void {
  const { 'content-type': contentType, location } = response.headers;
  Object.assign(exchange, refusal);
  if (contentType !== undefined) exchange.contentType = safeDetail(contentType, redact);
  if (location !== undefined) exchange.location = safeDetail(location, redact);
}
