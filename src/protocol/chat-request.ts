import type { ChatRequest, Route } from './protocol.ts';

/** Returns a request with the size of its body, computed once. */
export function chatRequest(route: Route, body: string): ChatRequest {
  return { route, body, bodyBytes: Buffer.byteLength(body) };
}

/** Returns a request with these header fields. Every attempt may need it: a copy by spreading costs a tenth of a turn. */
export function requestWith({ route, body, bodyBytes, socket, line }: ChatRequest, fields: string): ChatRequest {
  // The type requires every part of a request, so that none is forgotten.
  return { route, body, bodyBytes, fields, socket, line } satisfies Record<keyof ChatRequest, unknown>;
}
