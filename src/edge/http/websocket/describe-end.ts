import type { ExchangeFailure } from '../../../protocol/outcome.ts';
import { describeTlsFailure } from '../connect/connect-failure.ts';

/** Codes with which sockets are closed. */
export const normal = 1000;
export const goingAway = 1001;
const noCode = 1005;
/** Reported by the library if no close frame was received. */
export const abnormal = 1006;

/** Describes how the server closed a socket. */
export function describeClose(code: number, reason: string): string {
  if (code === abnormal) return 'the server closed the connection without a close frame';
  if (code === noCode) return 'the server closed the socket without a code';
  return `the server closed the socket (${String(code)}${reason === '' ? '' : `: ${reason}`})`;
}

/** Describes an error of the library: of a frame, of HTTP, of the connection, or of the upgrade. */
export function describeError({ code = '', message }: Error & { code?: string }): {
  failure: ExchangeFailure;
  detail: string;
} {
  if (code.startsWith('WS_ERR_')) return { failure: 'malformed', detail: `broken frame: ${message}` };
  if (code.startsWith('HPE_')) return { failure: 'malformed', detail: `broken HTTP: ${message}` };
  if (code === '') return { failure: 'malformed', detail: `broken upgrade: ${message}` };
  const reason = code.startsWith('ERR_SSL_') ? describeTlsFailure(code, message).what : message;
  return { failure: 'connection_lost', detail: `the connection broke: ${reason}` };
}
