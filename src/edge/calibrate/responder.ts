import type { Operation } from '../../protocol/protocol.ts';
import { protocols } from '../../protocol/registry/registry.ts';

const headEnd = '\r\n\r\n';
const lengthMark = 'Content-Length: ';
const idMark = '"sessionId":"';

/** Maximum length of a request: a body of 16 MB and its head. */
export const maxRequestLength = 16 * 1024 ** 2 + 64 * 1024;

/** Returns the text if it is one complete request of chat-load's own sender, which sends one at a time; otherwise `undefined`. */
export function wholeRequest(text: string): string | undefined {
  const end = text.indexOf(headEnd);
  const mark = text.lastIndexOf(lengthMark, end);
  if (end === -1 || mark === -1) return undefined;
  // Fields of sessions may follow.
  const length = Number.parseInt(text.slice(mark + lengthMark.length, end), 10);
  return text.length >= end + headEnd.length + length ? text : undefined;
}

let sessions = 0;

/**
 * Returns the shortest answer that conforms to the protocol, which the path identifies. In the chat messaging API only
 * messages have a session id. The rest of the request is not read, so that answering costs almost nothing.
 */
export function answerTo(request: string): string {
  const model = byLine.find(({ start }) => request.startsWith(start));
  if (model !== undefined) return response('200 OK', model.body);
  if (isCreation(request))
    return response('201 Created', `{"success":true,"data":{"sessionId":"session-${String(++sessions)}"}}`);
  return response('200 OK', `${replyStart}${sessionIdIn(request)}${replyEnd}`);
}

/** Reports whether a request creates a session: only messages contain the id of one. */
export function isCreation(request: string): boolean {
  return !request.includes(idMark);
}

/** Returns the session id in a message, or in the answer to a creation. */
export function sessionIdIn(text: string): string {
  const from = text.indexOf(idMark) + idMark.length;
  return text.slice(from, text.indexOf('"', from));
}

const when = '2026-01-01T00:00:00.000Z';
const text = 'Your order is on its way and should arrive within two working days.';
const replyStart = `{"success":true,"data":{"response":"${text}","chatId":"chat-1","sessionId":"`;
const replyEnd = `","isSession":true,"createdAt":"${when}","updatedAt":"${when}"}}`;

const response = (status: string, body: string): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;

/** First lines of requests, with the reply to each; replies of chat messaging depend on the session. */
const byLine = Object.values(protocols).flatMap(({ protocol: { paths = {}, shortestReplies } }) =>
  Object.entries(shortestReplies?.(text) ?? {}).map(([operation, reply]) => ({
    start: `POST ${paths[operation as Operation] ?? ''} `,
    body: JSON.stringify(reply),
  })),
);
