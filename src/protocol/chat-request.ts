import type { ChatRequest, Route } from './protocol.ts';

/** Returns a request with the size of its body, computed once. */
export function chatRequest(route: Route, body: string): ChatRequest {
  return { route, body, bodyBytes: Buffer.byteLength(body) };
}
