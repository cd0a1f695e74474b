import { definedProtocol } from '../../src/protocol/defined/defined-protocol.ts';
import type { ApiDefinition } from '../../src/protocol/defined/definition.ts';
import type { ChatApi, ChatRequest, ProtocolTarget, Received, ReplyStream } from '../../src/protocol/protocol.ts';
import { bareTarget, eventOf, wholeReply } from './stream-events.ts';

export function openDefined(definition: ApiDefinition, target: Partial<ProtocolTarget> = {}): ChatApi {
  return definedProtocol(definition).open({ ...bareTarget, ...target });
}

export function jsonOf({ body }: ChatRequest): unknown {
  return JSON.parse(body);
}

/** Begins the streamed reply to a request with these events, each the data, or the type and the data. */
export function streamed({ route }: ChatRequest, events: readonly (string | [type: string, data: string])[]) {
  const stream = route.stream?.begin();
  if (stream === undefined) throw new Error('this route has no replies in pieces');
  const pieces = events.map((event) =>
    stream.take(typeof event === 'string' ? eventOf(event) : eventOf(event[1], event[0])),
  );
  return { stream, pieces };
}

/** The end of a response of this kind. */
export function over(stream: ReplyStream, more: Partial<Received> = {}): Received {
  return wholeReply(200, '', { stream, ...more });
}
