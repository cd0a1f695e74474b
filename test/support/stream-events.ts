import fc from 'fast-check';
import { expect } from 'vitest';
import { instant } from '../../src/base/time.ts';
import { beginReply } from '../../src/edge/http/stream/streamed-reply.ts';
import type { ExchangeFailure } from '../../src/protocol/outcome.ts';
import type {
  ChatApi,
  ChatProtocol,
  Conversation,
  EventContent,
  ProtocolTarget,
  Received,
  Reply,
  TurnContent,
  StreamEvent,
  Verdict,
} from '../../src/protocol/protocol.ts';

/** An event as a test writes it: its data, or its type and its data; data other than text is serialized as JSON. */
export type WrittenEvent = unknown;

/** A target of the protocol tests. */
export const bareTarget: ProtocolTarget = {
  agentId: 'model-1',
  baseUrl: null,
  stream: false,
  auth: 'key',
  messagesPath: null,
  messageBody: {},
  conversation: 'previous_response',
  createSession: { path: '/sessions', body: {}, sessionIdFrom: 'id' },
};

interface ProtocolLab {
  open: (target?: Partial<ProtocolTarget>) => ChatApi;
  /** A conversation without a session. */
  converse: (target?: Partial<ProtocolTarget>) => Conversation;
  /** Returns a conversation with streamed replies. */
  streamed: () => Conversation;
}

/** Helpers for the tests of a protocol. */
export function talkBy(protocol: ChatProtocol): ProtocolLab {
  const open: ProtocolLab['open'] = (target) => protocol.open({ ...bareTarget, ...target });
  const converse: ProtocolLab['converse'] = (target) => open(target).converse('');
  return { open, converse, streamed: () => converse({ stream: true }) };
}

/** A whole response. */
export function wholeReply(status: number, body: unknown, rest: Partial<Received> = {}): Received {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { failure: undefined, detail: '', status, body: text, isUtf8: true, ...rest };
}

/** Returns a user message. */
export function saying(message: string, rest: Partial<TurnContent> = {}): TurnContent {
  return { message, variableValues: '', ...rest };
}

/** Returns a reply, as a conversation receives it. */
export function replyOf(text: string, rest: Partial<Reply> = {}): Reply {
  return { text, id: undefined, data: {}, ...rest };
}

/** The path and the JSON body of a request. */
export function requestOf(
  conversation: Conversation,
  turnContent: TurnContent,
): { path: string; body: Record<string, unknown> } {
  const { route, body } = conversation.request(turnContent);
  return { path: route.path, body: JSON.parse(body) as Record<string, unknown> };
}

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
): { pieces: EventContent[]; text: string; verdict: Verdict } {
  const stream = conversation.request(saying('Hello')).route.stream?.begin();
  if (stream === undefined) throw new Error('the target is not streamed');
  const event = new ReusedEvent();
  const pieces = events.map((written) => stream.take(event.write(written)));
  const received = wholeReply(status, '', {
    failure,
    detail: failure ?? '',
    isUtf8,
    stream,
    contentType: 'text/event-stream',
  });
  return { pieces, text: stream.text, verdict: conversation.read(received) };
}

/**
 * Has a new conversation read the bytes of a stream of server-sent events, split at every byte, and byte by byte. Expects the
 * same verdict each time, and returns it.
 */
export function readAnySplit(begin: () => Conversation, events: readonly WrittenEvent[]): Verdict {
  const bytes = Buffer.from(events.map(writeEvent).join(''));
  const read = (ends: readonly number[]): Verdict => readBlocks(begin(), bytes, ends);
  const verdict = read([]);
  for (let end = 1; end < bytes.length; end++) expect(read([end]), `split at ${String(end)}`).toEqual(verdict);
  expect(read(Array.from(bytes.keys()).slice(1))).toEqual(verdict);
  return verdict;
}

function writeEvent(written: WrittenEvent): string {
  const [type, data] = Array.isArray(written) ? (written as [string, unknown]) : ['', written];
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${type === '' ? '' : `event: ${type}\n`}${text === '' ? '' : `data: ${text}\n`}\n`;
}

/** Reads a body in blocks that end at these positions. */
function readBlocks(conversation: Conversation, bytes: Buffer, ends: readonly number[]): Verdict {
  const { stream: format } = conversation.request(saying('Hello')).route;
  if (format === undefined) throw new Error('the target is not streamed');
  const reply = beginReply(format, { now: instant(0), maxEventBytes: 1_000_000, isAnnounced: true });
  [0, ...ends].forEach((start, index) => reply.take(bytes, start, ends[index] ?? bytes.length));
  reply.end();
  return conversation.read(wholeReply(200, '', { stream: reply.reply, contentType: 'text/event-stream' }));
}

/** A streamed text: its events, and the number of events before the first part. */
interface PartsStream {
  before: number;
  eventsOf: (parts: readonly string[]) => readonly WrittenEvent[];
}

/** A text is what its parts add up to, and each that is not empty is content, however it is split. */
export function expectAnySplit(begin: () => Conversation, { before, eventsOf }: PartsStream): void {
  fc.assert(
    fc.property(splitText, (parts) => {
      const { pieces, text, verdict } = readEvents(begin(), eventsOf(parts));
      expect([text, verdict.reply?.text]).toEqual([parts.join(''), parts.join('')]);
      expect(pieces.slice(before, before + parts.length)).toEqual(
        parts.map((part) => (part === '' ? 'other' : 'content')),
      );
    }),
    { numRuns: 50 },
  );
}

/** A text in parts: split anywhere, between the two halves of a character too. */
const splitText: fc.Arbitrary<string[]> = fc
  .tuple(fc.string({ unit: 'binary' }), fc.array(fc.nat(40), { maxLength: 8 }))
  .map(([text, cuts]) => {
    const ends = [0, ...cuts.toSorted((a, b) => a - b), text.length];
    return ends.slice(1).map((end, index) => text.slice(ends[index], end));
  });

/** Returns one event. */
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
