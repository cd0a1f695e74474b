import { Http2Sender } from './http2/http2-sender.ts';
import { ConnectedSender } from './http1/sender.ts';
import type { Sender, SenderOptions } from './sender/sender-options.ts';

export type { Sender, SenderOptions };

/**
 * Opens a sender over HTTP/1.1 with kept connections, one per exchange in progress; or over HTTP/2, with many exchanges on
 * few connections. Throws `ChatLoadError` (usage) for a base URL, a key or a CA that cannot be used.
 */
export function openSender(options: SenderOptions): Sender {
  return options.http2 === true ? new Http2Sender(options) : new ConnectedSender(options);
}
