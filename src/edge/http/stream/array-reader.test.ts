import { describe, expect, test } from 'vitest';
import { instant } from '../../../base/time.ts';
import { gemini } from '../../../protocol/gemini/gemini.ts';
import { wholeReply } from '../../../../test/support/stream-events.ts';
import type { EventSink } from './event-reader.ts';
import { beginReply, readerOf } from './streamed-reply.ts';

/** Reads a body in blocks; returns its events. */
function eventsOf(blocks: readonly Buffer[], maxEventBytes = 1e6) {
  const events: string[] = [];
  const sink: EventSink = { event: (event) => void events.push(event.text()) };
  const reader = readerOf({ framing: 'sse', isJson: true, mayBeArray: true }, sink, maxEventBytes);
  for (const block of blocks) reader.take(block, 0, block.length);
  reader.end();
  return { events, isTooLong: reader.isTooLong, isHalf: reader.event.isHalf };
}

const split = (body: string, at: number): Buffer[] => {
  const bytes = Buffer.from(body);
  return [bytes.subarray(0, at), bytes.subarray(at)];
};

describe('the elements of an array are its events', () => {
  test.each([
    ['[{"a":1}\n,\r\n{"b":[{},"]}"]}]', ['{"a":1}', '{"b":[{},"]}"]}']],
    [' \n[{"t":"quote \\" and \\\\"},{"ü":"✓ 😀"}]\n', ['{"t":"quote \\" and \\\\"}', '{"ü":"✓ 😀"}']],
    ['\u{feff}[{"a":1}]', ['{"a":1}']],
    ['["text, [1]", 2, null, {"a":1}]', ['{"a":1}']],
    ['[]', []],
    ['[{"a":1},{"b":', ['{"a":1}', '{"b":']],
    ['data: {"a":1}\n\ndata: [DONE]\n\n', ['{"a":1}', '[DONE]']],
    ['\n\ndata: {"a":1}\n\n', ['{"a":1}']],
  ])('%j, wherever its bytes are split', (body, expected) => {
    expect(eventsOf([Buffer.from(body)]).events).toEqual(expected);
    expect(eventsOf([...Buffer.from(body)].map((byte) => Buffer.of(byte))).events).toEqual(expected);
    for (let at = 1; at < Buffer.byteLength(body); at++)
      expect([at, eventsOf(split(body, at)).events]).toEqual([at, expected]);
  });

  test('up to the limit of an event', () => {
    expect(eventsOf([Buffer.from(`[{"a":"${'x'.repeat(99)}`)], 50).isTooLong).toBe(true);
  });
});

const target = {
  agentId: 'gemini-2',
  baseUrl: 'http://h.example',
  messagesPath: null,
  messageBody: {},
  instructions: null,
  auth: 'key',
  conversation: 'previous_response',
  createSession: { path: '/', body: {}, sessionIdFrom: 'id' },
  stream: true,
} as const;

const part = (text: string, more: object = {}) => ({
  candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0, ...more }],
  modelVersion: 'gemini-2',
});

/** Reads a body of Gemini in blocks, one per millisecond from 1 on. */
function readGemini(blocks: readonly Buffer[]) {
  const conversation = gemini.open(target).converse('s');
  const { stream } = conversation.request({ message: 'Hi', variableValues: '' }).route;
  if (stream === undefined) throw new Error('the target is not streamed');
  const reply = beginReply(stream, { now: instant(0), maxEventBytes: 1e6, isAnnounced: false });
  blocks.forEach((block, at) => {
    reply.beginRead(instant(at + 1));
    reply.take(block, 0, block.length);
  });
  reply.end();
  const received = wholeReply(200, '', { stream: reply.reply, contentType: 'application/json' });
  return { verdict: conversation.read(received), content: reply.content };
}

describe('a stream of Gemini that is one array', () => {
  const elements = [part('It is '), part('on its '), part('way – 😀.', { finishReason: 'STOP' })];
  const body = `[${elements.map((each) => JSON.stringify(each, null, 2)).join('\n,\r\n')}\n]\n`;

  test('is read however its bytes arrive, with a note on its content type', () => {
    const bytes = Buffer.byteLength(body);
    for (let at = 1; at < bytes; at++) {
      const { verdict } = readGemini(split(body, at));
      expect([at, verdict.outcome, verdict.reply?.text]).toEqual([at, 'ok', 'It is on its way – 😀.']);
      expect(verdict.reply?.notes?.map(({ rule }) => rule)).toEqual(['content_type']);
    }
  });

  test('has the first token at the read of its first element, and the gaps between the others', () => {
    const [first = '', second = '', third = ''] = elements.map((each) => JSON.stringify(each));
    const blocks = ['[', first, ',', second, ',', `${third}]`].map((text) => Buffer.from(text));
    const { content } = readGemini(blocks);
    expect([content?.firstAt, content?.gapsMs]).toEqual([2, [2, 2]]);
  });

  test('that is cut within an element is not ok', () => {
    const { verdict } = readGemini([Buffer.from(body.slice(0, body.indexOf('way')))]);
    expect(verdict).toMatchObject({ outcome: 'malformed', detail: expect.stringContaining('not JSON') as string });
  });
});
