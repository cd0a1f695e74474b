import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** A request as it was read. */
export interface Incoming {
  authorization: string | undefined;
  contentType: string | undefined;
  /** `undefined`: too large. */
  body: string | undefined;
}

/** Returns the key of a request in the form of `Authorization`; Anthropic's clients send it as `x-api-key`. */
export function keyIn({ authorization, 'x-api-key': key }: IncomingHttpHeaders): string | undefined {
  return authorization ?? (typeof key === 'string' ? `Bearer ${key}` : undefined);
}

const usualMaxBytes = 1024 * 1024;

/** Reads a request to its end and passes its body as text, or `undefined` if it is too large. Never calls back if the client disconnects meanwhile. */
export function receiveBody(
  request: IncomingMessage,
  received: (body: string | undefined) => void,
  maxBytes = usualMaxBytes,
): void {
  let first: Buffer | undefined;
  let others: Buffer[] | undefined;
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      request.removeAllListeners('data').removeAllListeners('end').resume();
      received(undefined);
    } else if (first === undefined) first = chunk;
    else (others ??= []).push(chunk);
  });
  // Nearly every body arrives in one chunk.
  request.on('end', () => received(textOf(first, others)));
}

const textOf = (first: Buffer | undefined, others: readonly Buffer[] | undefined): string =>
  first === undefined ? '' : others === undefined ? first.toString() : Buffer.concat([first, ...others]).toString();
