import { openPeer, type Arrival, type Peer } from './http-peer.ts';

/** Secrets that the service reveals. */
interface Heard {
  /** The value of the Authorization header. */
  authorization: string;
  key: string;
  sessionId: string;
}

const reply = (status: string, body: string, lines: readonly string[] = []): string =>
  [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json',
    ...lines,
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    '',
    body,
  ].join('\r\n');

const json = (status: string, body: unknown, lines: readonly string[] = []): string =>
  reply(status, JSON.stringify(body), lines);

const createdAt = '2026-01-01T00:00:00.000Z';
const dataFor = ({ key, sessionId }: Heard): Record<string, unknown> => ({
  response: `MARKER-REPLY-5518 ${key}`,
  chatId: key,
  sessionId,
  isSession: true,
  createdAt,
  updatedAt: createdAt,
  debug: { key },
});
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Answers in turn, each with the secret in a different quoted part of the response. */
const answers: readonly ((heard: Heard) => string)[] = [
  (heard) =>
    json('200 OK', { success: true, data: dataFor(heard) }, [
      `X-Echo: ${heard.authorization}`,
      `Keep-Alive: ${heard.key}`,
    ]),
  ({ key, authorization }) => json('500 Internal Server Error', { success: false, error: `bad ${key}`, authorization }),
  ({ key }) => json(`404 ${key}`, { success: false, error: `Agent ${key} not found` }),
  ({ authorization }) => json(`418 ${authorization}`, { error: authorization }),
  ({ key }) => `HTTP/1.1 200 OK\r\nContent-Length: ${key}\r\n\r\n{}`,
  ({ key }) => `HTTP/1.1 200 OK\r\nContent-Length: ${encodeURIComponent(key)}\r\n\r\n{}`,
  ({ key }) => `HTTP/1.1 200 OK\r\nContent-Length: ${base64(key)}\r\n\r\n{}`,
  ({ authorization }) => `HTTP/1.1 200 OK\r\nContent-Length: ${base64(authorization)}\r\n\r\n{}`,
  ({ key }) => `HTTP/1.1 200 OK\r\nContent-Length: ${JSON.stringify(key)}\r\n\r\n{}`,
  ({ key }) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: ${key}\r\n\r\n`,
  ({ authorization }) => reply('200 OK', '{}', [`Content-Encoding: ${authorization}`]),
  ({ authorization }) => `${authorization}\r\n\r\n`,
  ({ authorization }) => `HTTP/1.1 ${authorization}\r\n\r\n`,
  ({ key }) => `HTTP/1.1 200 OK\r\n${key}\r\n\r\n`,
  ({ key }) => reply('200 OK', `<html>MARKER-REPLY-5518 ${key}</html>`),
  ({ key }) => json('429 Too Many Requests', { error: key }, [`Retry-After: ${key}`]),
  (heard) => json('200 OK', { success: true, data: { ...dataFor(heard), sessionId: heard.key } }),
  ({ key }) => json(`302 ${key}`, {}, [`Location: https://elsewhere.example/?key=${encodeURIComponent(key)}`]),
  ({ key }) => json('400 Bad Request', { error: base64(key), [key]: key }),
  ({ key }) => `HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{"key":${JSON.stringify(key)}`,
  ({ key }) => json('503 Unavailable', { error: 'Chat provider error', key }),
];

/** A service for one test that echoes the key in every possible way, one after another. */
export async function openEchoing(): Promise<Peer> {
  let turns = 0;
  return openPeer((arrival) => {
    const text = isCreation(arrival)
      ? create(arrival)
      : (answers[turns++ % answers.length] ?? create)(heardIn(arrival));
    arrival.socket.write(text);
    // An incomplete response ends with the connection.
    if (!text.includes('\r\nContent-Type')) arrival.socket.end();
  });
}

/** Opens a service that answers every creation and message correctly, with the key in each response. */
export async function openFriendly(delayMs = 0): Promise<Peer> {
  return openPeer((arrival) => {
    const heard = heardIn(arrival);
    const text = isCreation(arrival) ? create(heard) : (answers[0] ?? create)(heard);
    setTimeout(() => arrival.socket.write(text), delayMs);
  });
}

const isCreation = ({ text }: Arrival): boolean => text.split('\r\n', 1)[0]?.includes('/sessions') === true;

const create = (arrival: Arrival | Heard): string => {
  const { key } = 'key' in arrival ? arrival : heardIn(arrival);
  return json('201 Created', { success: true, data: { sessionId: `session-${key}`, key } });
};

function heardIn({ text }: Arrival): Heard {
  const authorization = /^authorization: (.*)$/im.exec(text)?.[1]?.trim() ?? '';
  const body = text.slice(text.indexOf('\r\n\r\n') + 4);
  const { sessionId } = JSON.parse(Buffer.from(body, 'latin1').toString()) as { sessionId?: string };
  return { authorization, key: authorization.replace('Bearer ', ''), sessionId: sessionId ?? '' };
}
