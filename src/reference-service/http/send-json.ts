import type { ServerResponse } from 'node:http';

/** Answers with a JSON document. */
export function sendJson(response: ServerResponse, status: number, document: object): void {
  const body = JSON.stringify(document);
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, headers).end(body);
}
