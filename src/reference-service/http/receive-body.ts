import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** A request as it was read. */
export interface Incoming {
  authorization: string | undefined;
  contentType: string | undefined;
  /** `undefined`: too large. */
  body: string | undefined;
  /** Parts of the path that its pattern names. */
  params: PathParams;
  /** Id of the socket that carries the request; `undefined`: it is a request of HTTP. */
  socket?: string | undefined;
}

export type PathParams = Readonly<Record<string, string | undefined>>;

/** Returns the key of a request in the form of `Authorization`; Anthropic's clients send it as `x-api-key`. */
export function keyIn({ authorization, 'x-api-key': key }: IncomingHttpHeaders): string | undefined {
  return authorization ?? (typeof key === 'string' ? `Bearer ${key}` : undefined);
}

export const usualMaxBytes = 1024 * 1024;

/** Reads a request to its end and passes its body as text, as `receiveBytes` does. */
export function receiveBody(request: IncomingMessage, received: (body: string | undefined) => void): void {
  receiveBytes(request, usualMaxBytes, (bytes) => received(bytes?.toString()));
}

/** Reads a request to its end and passes its body, or `undefined` if it is too large. Never calls back if the client disconnects meanwhile. */
export function receiveBytes(
  request: IncomingMessage,
  maxBytes: number,
  received: (body: Buffer | undefined) => void,
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
  request.on('end', () => received(joined(first, others)));
}

const joined = (first: Buffer | undefined, others: readonly Buffer[] | undefined): Buffer =>
  first === undefined ? Buffer.alloc(0) : others === undefined ? first : Buffer.concat([first, ...others]);
