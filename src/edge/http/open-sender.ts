import { Http2Sender } from './http2/http2-sender.ts';
import { ConnectedSender } from './http1/sender.ts';
import { OriginSenders } from './sender/origin-senders.ts';
import { loadSigner, signRequests } from './sender/sign-requests.ts';
import type { Sender, SenderOptions } from './sender/sender-options.ts';
import type { SocketSender } from './websocket/socket-sender.ts';

export type { Sender, SenderOptions };

let socketSender: typeof SocketSender | undefined;

/** Loads the code that few runs use. Called before `openSender`. */
export async function loadTransport({
  transport,
  listens,
  signedWith,
}: Pick<SenderOptions, 'transport' | 'listens' | 'signedWith'>): Promise<void> {
  if (signedWith !== undefined) await loadSigner();
  if (transport === 'websocket' || listens === 'websocket')
    socketSender ??= (await import('./websocket/socket-sender.ts')).SocketSender;
}

/**
 * Opens a sender over HTTP/1.1 with kept connections, one per exchange in progress; over HTTP/2, with many exchanges on
 * few connections; over WebSocket, with one socket per session; or to several origins. Throws `ChatLoadError` (usage) for a base URL, a key or
 * a CA that cannot be used.
 */
export function openSender(options: SenderOptions): Sender {
  return options.otherOrigins === true ? new OriginSenders(options, openOne) : openOne(options);
}

function openOne(options: SenderOptions): Sender {
  const { signedWith: credentials } = options;
  const sender = openUnsigned(options);
  return credentials === undefined ? sender : signRequests(sender, { ...options, credentials });
}

function openUnsigned(options: SenderOptions): Sender {
  if (options.transport === undefined)
    return options.http2 === true ? new Http2Sender(options) : new ConnectedSender(options);
  if (socketSender === undefined) throw new Error('the transport was not loaded');
  return new socketSender(options);
}
