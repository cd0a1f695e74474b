import fc from 'fast-check';
import type { ExchangeFailure } from '../../src/protocol/outcome.ts';
import type {
  Conversation,
  Piece,
  ProtocolTarget,
  Received,
  Said,
  StreamEvent,
  Verdict,
} from '../../src/protocol/protocol.ts';

/** An event as a test writes it: its data, or its type and its data; what is no text is made JSON. */
export type WrittenEvent = unknown;

/** A target of the protocol tests. */
export const bareTarget: ProtocolTarget = {
  agentId: 'model-1',
  baseUrl: null,
  stream: false,
  messagesPath: null,
  messageBody: {},
  conversation: 'previous_response',
  createSession: { path: '/sessions', body: {}, sessionIdFrom: 'id' },
};

/** A whole response. */
export function wholeReply(status: number, body: unknown, rest: Partial<Received> = {}): Received {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { failure: undefined, detail: '', status, body: text, isUtf8: true, ...rest };
}

/** Something that a user says. */
export function saying(message: string, rest: Partial<Said> = {}): Said {
  return { message, variableValues: '', ...rest };
}

/** The path and the JSON body of a request. */
export function requestOf(conversation: Conversation, said: Said): { path: string; body: Record<string, unknown> } {
  const { route, body } = conversation.request(said);
  return { path: route.path, body: JSON.parse(body) as Record<string, unknown> };
}

/** A text in parts: split anywhere, between the two halves of a character too. */
export const splitText: fc.Arbitrary<string[]> = fc
  .tuple(fc.string({ unit: 'binary' }), fc.array(fc.nat(40), { maxLength: 8 }))
  .map(([text, cuts]) => {
    const ends = [0, ...cuts.toSorted((a, b) => a - b), text.length];
    return ends.slice(1).map((end, index) => text.slice(ends[index], end));
  });

interface StreamEnd {
  failure?: ExchangeFailure;
  status?: number;
  isUtf8?: boolean;
}

/** Has a conversation read a stream of these events, each in one and the same object, as from a socket. */
export function readEvents(
  conversation: Conversation,
  events: readonly WrittenEvent[],
  { failure, status = 200, isUtf8 = true }: StreamEnd = {},
): { pieces: Piece[]; text: string; verdict: Verdict } {
  const stream = conversation.request(saying('Hello')).route.stream?.begin();
  if (stream === undefined) throw new Error('the target is not streamed');
  const event = new ReusedEvent();
  const pieces = events.map((written) => stream.take(event.write(written)));
  const received = wholeReply(status, '', { failure, detail: failure ?? '', isUtf8, stream });
  return { pieces, text: stream.text, verdict: conversation.read(received) };
}

/** One event. */
export function eventOf(data: string, type = ''): StreamEvent {
  return new ReusedEvent().write([type, data]);
}

class ReusedEvent implements StreamEvent {
  type = '';
  bytes = Buffer.alloc(0);
  start = 0;
  end = 0;

  write(written: WrittenEvent): this {
    const [type, data] = Array.isArray(written) ? (written as [string, unknown]) : ['', written];
    this.type = type;
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    this.bytes = Buffer.from(`data: ${text}\n\n`);
    this.start = 'data: '.length;
    this.end = this.bytes.length - 2;
    return this;
  }

  text(): string {
    return this.bytes.toString('utf8', this.start, this.end);
  }
}
