import type { ExchangeFailure } from '../../../protocol/outcome.ts';

/** What is said where Node.js does not report a breach: its session ends by itself. */
export const silentBreach = 'the connection is of no use any more: the server broke the rules of HTTP/2';

/** What an error of a session says of its connection, and of the exchanges on it. */
export function brokenBy(error: Error): [how: string, failure: ExchangeFailure] {
  return 'code' in error && error.code === 'ERR_HTTP2_ERROR'
    ? [`the server broke the rules of HTTP/2 (${error.message}), which ended the connection`, 'malformed']
    : [`the connection broke (${error.message})`, 'connection_lost'];
}
