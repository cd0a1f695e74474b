import type { ChatRequest, Route } from './protocol.ts';

/** A request, its bytes counted once for whoever needs them. */
export function chatRequest(route: Route, body: string): ChatRequest {
  return { route, body, bodyBytes: Buffer.byteLength(body) };
}
