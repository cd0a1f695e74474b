import { ms } from '../../base/time.ts';
import { isObject } from '../../base/is-object.ts';
import { unknownName } from '../../base/unknown-name.ts';
import type {
  ChatRequest,
  Dialogue,
  EventContent,
  FrameReader,
  HeaderFields,
  ReplyStream,
  SocketExchange,
  SocketLine,
  SocketObserver,
  StreamEvent,
  StreamLine,
  Verdict,
} from '../protocol.ts';
import { broken } from '../classify-whole.ts';
import { describeKind } from '../describe-found.ts';
import { AuthorError, callAuthor } from './author-error.ts';
import { bodyText } from './compose-message.ts';
import type { ListenDefinition, ListenParts } from './definition.ts';
import { asHttp, type Reach } from './destination.ts';
import { keepCredentials } from './header-fields.ts';
import { readRequest } from './poll-request.ts';
import { Greeting, type FrameRules } from './socket-reply.ts';

/** Parts and usual header fields of the request of a stream, and recipients of the secrets in it and of its events. */
export interface Around {
  readonly parts: ListenParts;
  readonly usual: HeaderFields;
  readonly keepSecret: (secret: string) => void;
  readonly observer: SocketObserver;
}

/** Recipient of the events of a stream. */
interface Recipient {
  /** Called when the stream is open. */
  begun(): void;
  take(event: StreamEvent): void;
}

const connectName = 'reply.then.listen.connect';

/** Rules of the request of a stream. */
interface Connecting {
  readonly definition: ListenDefinition;
  readonly reach: Reach;
}

/** Returns the request of a stream of server-sent events. Throws `AuthorError`. */
export function eventsRequest(
  { definition, reach }: Connecting,
  { parts, usual, keepSecret }: Around,
  { line, recipient }: { line: StreamLine; recipient: Recipient },
): ChatRequest {
  const made = callAuthor(connectName, () => definition.connect(parts));
  const { body, ...to } = readRequest(connectName, made, { parts, usual: { ...usual, ...accept }, reach });
  keepCredentials(to.headers, keepSecret);
  const passesEmpty = typeof definition.end === 'object' ? true : undefined;
  const begin = (): ReplyStream => {
    recipient.begun();
    return new Passing(recipient);
  };
  return {
    route: {
      operation: 'message',
      ...to,
      stream: { framing: 'sse', isStated: true, isJson: true, passesEmpty, begin },
    },
    body,
    line,
  };
}

const accept: HeaderFields = { Accept: 'text/event-stream' };

/** Returns the request of the WebSocket of a session. Throws `AuthorError`. */
export function socketRequest(
  { definition, reach, greeting }: Connecting & { greeting: FrameRules },
  { parts, usual, keepSecret }: Around,
  { line, socketLine, recipient }: { line: StreamLine; socketLine: SocketLine; recipient: Recipient },
): ChatRequest {
  const {
    frames = [],
    subprotocols = [],
    ...made
  } = socketParts(callAuthor(connectName, () => definition.connect(parts)));
  const { body, method, ...to } = readRequest(connectName, made, { parts, usual, reach });
  if (method !== 'GET' || body !== '')
    throw new AuthorError(connectName, 'returned a method or a body: a WebSocket is opened by GET, and sends frames');
  keepCredentials(to.headers, keepSecret);
  const texts = frames.map((frame) => bodyText(`${connectName}.frames`, frame));
  const socket: SocketExchange = {
    line: socketLine,
    subprotocols,
    greet: () => ({ frames: texts, reader: new Greeting(greeting) }),
    begin: (): Dialogue => {
      recipient.begun();
      return { frames: [], reader: new Passing(recipient) };
    },
  };
  return { route: { operation: 'message', method, ...to }, body, line, socket };
}

/** Returns the state of the socket of a session between its openings. */
export function newSocketLine({ pingInterval }: ListenDefinition, observer: SocketObserver): SocketLine {
  const pingIntervalMs = pingInterval === undefined ? undefined : ms(pingInterval);
  return { link: undefined, observer, pingIntervalMs, meaningOf: () => 'other' };
}

/** Parts of the request of a socket that requests over HTTP do not have; its URL may begin with `ws:` or `wss:`. */
function socketParts(made: unknown): { frames?: readonly unknown[]; subprotocols?: readonly string[]; path?: unknown } {
  if (!isObject(made))
    throw new AuthorError(
      connectName,
      `returned a value that is ${describeKind(made)}: return a request such as { path: streamUrl }`,
    );
  const { frames, subprotocols = [], path, ...rest } = made;
  const unknown = Object.keys(rest).find((key) => !socketKeys.includes(key));
  if (unknown !== undefined)
    throw new AuthorError(
      connectName,
      `returned a request with an ${unknownName('key', unknown, [...socketKeys, 'path', 'frames', 'subprotocols'])}`,
    );
  if (!isListOfNames(subprotocols))
    throw new AuthorError(
      connectName,
      "returned subprotocols that are not a list of different names such as ['chat.v1']",
    );
  return {
    ...rest,
    path: typeof path === 'string' ? asHttp(path) : path,
    subprotocols,
    ...(frames !== undefined && { frames: Array.isArray(frames) ? (frames as readonly unknown[]) : [frames] }),
  };
}

const socketKeys = ['method', 'query', 'headers', 'body'];

const isListOfNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) &&
  new Set(value).size === value.length &&
  value.every((name) => typeof name === 'string' && /^[!#$%&'*+\-.0-9A-Z^_`|a-z~]+$/.test(name));

/** Reader that passes every event on: the stream outlives the replies on it. */
class Passing implements FrameReader {
  readonly text = '';
  readonly hasEnded = false;
  readonly isOver = false;
  readonly keepsSocket = false;
  readonly retryAfter = undefined;
  readonly #recipient: Recipient;

  constructor(recipient: Recipient) {
    this.#recipient = recipient;
  }

  accepts(): boolean {
    return true;
  }

  take(event: StreamEvent): EventContent {
    this.#recipient.take(event);
    return 'other';
  }

  conclude(): Verdict {
    return broken(unopened);
  }
}

export const unopened = 'the stream of the session was not opened: check reply.then.listen.connect';
