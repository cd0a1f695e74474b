import { definedProtocol } from '../../src/protocol/defined/defined-protocol.ts';
import type { ApiDefinition } from '../../src/protocol/defined/definition.ts';
import type {
  ChatApi,
  ChatRequest,
  ProtocolTarget,
  Received,
  ReplyStream,
  Said,
  StreamEvent,
} from '../../src/protocol/protocol.ts';
import { bareTarget } from './stream-events.ts';

/** A whole response as a sender gives it. */
export function response(status: number, body: unknown, more: Partial<Received> = {}): Received {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { failure: undefined, detail: '', status, body: text, isUtf8: true, ...more };
}

/** What a user says. */
export function said(message: string, more: Partial<Said> = {}): Said {
  return { message, variableValues: '', ...more };
}

export function openDefined(definition: ApiDefinition, target: Partial<ProtocolTarget> = {}): ChatApi {
  return definedProtocol(definition).open({ ...bareTarget, ...target });
}

export function jsonOf({ body }: ChatRequest): unknown {
  return JSON.parse(body);
}

/** Begins the reply in pieces to a request, and takes these events, each the data or the type and the data. */
export function streamed({ route }: ChatRequest, events: readonly (string | [type: string, data: string])[]) {
  const stream = route.stream?.begin();
  if (stream === undefined) throw new Error('this route has no replies in pieces');
  return { stream, pieces: events.map((event) => stream.take(eventOf(event))) };
}

/** The end of such a response. */
export function over(stream: ReplyStream, more: Partial<Received> = {}): Received {
  return response(200, '', { stream, ...more });
}

function eventOf(event: string | [type: string, data: string]): StreamEvent {
  const [type, data] = typeof event === 'string' ? ['', event] : event;
  const bytes = Buffer.from(`<${data}>`);
  return { type, bytes, start: 1, end: bytes.length - 1, text: () => data };
}
