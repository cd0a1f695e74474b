import { describe, expect, test } from 'vitest';
import { pieceRequest } from '../../../../test/support/piece-stream.ts';
import { instant } from '../../../base/time.ts';
import type { StreamEvent, StreamFormat } from '../../../protocol/protocol.ts';
import { beginReply, type StreamedReply } from './streamed-reply.ts';

/** Reads blocks of a body, each at its own instant. */
function read(format: Partial<StreamFormat>, blocks: readonly (string | Buffer)[], isAnnounced = true): StreamedReply {
  const { stream } = pieceRequest().route;
  if (stream === undefined) throw new Error('this request is not streamed');
  const reply = beginReply({ ...stream, ...format }, { now: instant(0), maxEventBytes: 1000, isAnnounced });
  for (const [index, block] of blocks.entries()) {
    const bytes = Buffer.from(block);
    const shared = Buffer.concat([Buffer.from('#'), bytes, Buffer.from('#')]);
    reply.beginRead(instant(10 * index));
    reply.take(shared, 1, 1 + bytes.length);
    shared.fill('?');
  }
  reply.end();
  return reply;
}

/** Cuts a text into blocks of one byte. */
const byByte = (text: string): Buffer[] => Array.from(Buffer.from(text), (byte) => Buffer.of(byte));

describe('a body that is text', () => {
  test('has a piece for each read, at its instant', () => {
    const { reply, content } = read({ framing: 'text' }, ['It is', ' ', 'late.\n']);
    expect(reply.text).toBe('It is late.\n');
    expect(content).toMatchObject({ firstAt: 0, firstAnswerAt: 0, lastAt: 20, gapsMs: [10, 10], sharedReads: 0 });
  });

  test('has one piece for the blocks of one read', () => {
    const { stream } = pieceRequest().route;
    if (stream === undefined) throw new Error('this request is not streamed');
    const start = { now: instant(5), maxEventBytes: 1000, isAnnounced: false };
    const reply = beginReply({ ...stream, framing: 'text' }, start);
    for (const text of ['a', 'b', 'c']) reply.take(Buffer.from(text), 0, 1);
    expect([reply.reply.text, reply.newEvents, reply.content?.gapsMs, reply.content?.sharedReads]).toEqual([
      'abc',
      1,
      [],
      0,
    ]);
  });

  test.each(['a£€😀z', '\u{feff}€', '😀'])('keeps characters that are split over reads: %s', (text) => {
    const { reply, isUtf8 } = read({ framing: 'text' }, byByte(text));
    expect([reply.text, isUtf8]).toEqual([text.replace('\u{feff}', ''), true]);
  });

  test('is not UTF-8 with half a character at its end, or a wrong byte', () => {
    expect(read({ framing: 'text' }, ['a', Buffer.of(0xe2, 0x82)]).isUtf8).toBe(false);
    expect(read({ framing: 'text' }, ['a', Buffer.of(0x80, 0x80, 0x80, 0x80), 'b']).isUtf8).toBe(false);
  });
});

describe('lines of text', () => {
  test('keep their spaces, without their line breaks', () => {
    expect(read({ framing: 'lines' }, ['It\r\n is', '\n\n  late', '. ']).reply.text).toBe('It is  late. ');
  });
});

test.each(['lines', 'json-lines', 'sse'] as const)('a byte order mark before %s is no part of them', (framing) => {
  const text = framing === 'sse' ? 'data: a\n\n' : 'a\n';
  for (const block of [`\u{feff}${text}`, `\u{feff}${text}`.trimEnd()])
    if (framing !== 'sse' || block.endsWith('\n'))
      for (const blocks of [[block], byByte(block)]) expect(read({ framing }, blocks).reply.text).toBe('a');
});

describe('JSON events without a blank line between them', () => {
  const objects = ['{"a":1}', '{"a":"}"}', '{"b":{}}'];
  const eventsIn = (blocks: readonly (string | Buffer)[], isAnnounced = true) => {
    const seen: [string, string, boolean | undefined][] = [];
    const take = (event: StreamEvent) => {
      seen.push([event.type, event.text(), event.isUnseparated]);
      return 'content' as const;
    };
    const reply = read(
      {
        isJson: true,
        begin: () => ({
          take,
          text: '',
          hasEnded: false,
          conclude: () => ({ outcome: 'ok', detail: '', reply: undefined }),
        }),
      },
      blocks,
      isAnnounced,
    );
    return { seen, content: reply.content, unread: reply.unread?.text() };
  };
  const texts = (blocks: readonly (string | Buffer)[]): string[] => eventsIn(blocks).seen.map(([, text]) => text);

  test.each([
    ['lines of data', objects.map((each) => `data: ${each}\n`).join('')],
    ['lines of data that end in CR LF', objects.map((each) => `data: ${each}\r\n`).join('')],
    ['lines of data, the last one without an end', objects.map((each) => `data: ${each}`).join('\n')],
    ['lines of JSON', objects.map((each) => `${each}\n`).join('')],
    ['lines of JSON with blank lines', objects.map((each) => `${each}\n\n`).join('')],
    ['lines of JSON, the last one without an end', objects.join('\n')],
  ])('are told apart, however they are split: %s', (_, body) => {
    expect(texts([body])).toEqual(objects);
    expect(texts(byByte(body))).toEqual(objects);
    for (let at = 1; at < body.length; at++) expect(texts([body.slice(0, at), body.slice(at)])).toEqual(objects);
  });

  test.each<[string, [type: string, text: string]]>([
    ['error: {"message":"b"}\n\n', ['error', '{"message":"b"}']],
    ['error: busy', ['error', 'busy']],
    ['{"error":"b"}\n\n', ['', '{"error":"b"}']],
    ['{"error":"b"}', ['', '{"error":"b"}']],
  ])('are told apart from an error without data, however they are split: %j', (error, expected) => {
    const body = `data: {"a":1}\n\n${error}`;
    for (const blocks of [[body], byByte(body)])
      expect(eventsIn(blocks).seen.map(([type, text]) => [type, text])).toEqual([['', '{"a":1}'], expected]);
  });

  test('end before [DONE]', () => {
    expect(texts(['data: {"a":1}\ndata: [DONE]\n'])).toEqual(['{"a":1}', '[DONE]']);
  });

  test('keep their types', () => {
    const body = 'event: x\ndata: {"a":1}\nevent: y\ndata: {"a":2}\nevent: z\ndata: {"a":3}\n';
    expect(eventsIn([body]).seen).toEqual([
      ['x', '{"a":1}', true],
      ['y', '{"a":2}', true],
      ['z', '{"a":3}', true],
    ]);
  });

  test('are timed when their lines arrive, the first one, too', () => {
    const { content } = eventsIn(objects.map((each) => `data: ${each}\n`));
    expect(content).toMatchObject({ firstAt: 0, lastAt: 20, gapsMs: [10, 10], sharedReads: 0 });
  });

  test('are no other forms: one event of several lines, its type after its data, a whole body', () => {
    const separated = 'data: {"a":\ndata: {"b":1}}\nevent: x\n\ndata: {"a":1}\n\n';
    expect(eventsIn([separated]).seen).toEqual([
      ['x', '{"a":\n{"b":1}}', false],
      ['', '{"a":1}', false],
    ]);
    for (const body of ['{"a":1}\n\n', '{\n"a": [\n{"b":1},\n{"b":2}\n]\n}', '[{"a":1},\n{"a":2}]'])
      expect(eventsIn([body], false)).toMatchObject({ seen: [], unread: body });
  });
});

describe('an event without data', () => {
  const body = ['data: a\n\nevent: end\n\n: ping\n\n'];
  const typesIn = (format: Partial<StreamFormat>): string[] => {
    const types: string[] = [];
    const take = ({ type }: { type: string }) => (types.push(type), 'other' as const);
    read(
      {
        ...format,
        begin: () => ({
          take,
          text: '',
          hasEnded: false,
          conclude: () => ({ outcome: 'ok', detail: '', reply: undefined }),
        }),
      },
      body,
    );
    return types;
  };

  test('is passed on only if the format asks for it, and by its type', () => {
    expect(typesIn({})).toEqual(['']);
    expect(typesIn({ passesEmpty: true })).toEqual(['', 'end']);
  });
});

describe('a body that was not announced as a stream', () => {
  test('is one as soon as it has an event', () => {
    const { reply, unread } = read({}, [': hi\n\nda', 'ta: a\n\n'], false);
    expect([reply.text, unread]).toEqual(['a', undefined]);
  });

  test('is one with an event without data, however it is split', () => {
    for (const blocks of [['data:\n\n'], byByte('data:\n\n')]) expect(read({}, blocks, false).unread).toBeUndefined();
  });

  test('is kept as a whole while it has none', () => {
    expect(read({}, ['{"err', 'or": 1}'], false).unread?.text()).toBe('{"error": 1}');
    expect(read({ framing: 'json-lines' }, ['a'], false).unread).toBeUndefined();
  });
});

describe('an event that the body does not end', () => {
  const seenOf = (body: string, isJson?: true): [text: string, isHalf: boolean | undefined][] => {
    const seen: [string, boolean | undefined][] = [];
    const take = (event: StreamEvent) => (seen.push([event.text(), event.isHalf]), 'other' as const);
    const conclude = () => ({ outcome: 'ok', detail: '', reply: undefined }) as const;
    for (const blocks of [[body], byByte(body)]) {
      seen.length = 0;
      read({ isJson, begin: () => ({ take, text: '', hasEnded: false, conclude }) }, blocks);
    }
    return seen;
  };

  test.each<[string, string, [string, boolean][]]>([
    [
      'whole, with its line break',
      'data: {"a":1}\n\ndata: {"a":2}\n',
      [
        ['{"a":1}', false],
        ['{"a":2}', false],
      ],
    ],
    ['whole, without a line break', 'data: {"a":2}', [['{"a":2}', true]]],
    [
      'cut off',
      'data: {"a":1}\n\ndata: {"a',
      [
        ['{"a":1}', false],
        ['{"a', true],
      ],
    ],
    [
      'cut off in the name of its field',
      'data: a\n\nda',
      [
        ['a', false],
        ['da', true],
      ],
    ],
    ['a comment', 'data: a\n\n: pi', [['a', false]]],
    ['another field', 'data: a\n\nid: 7', [['a', false]]],
  ])('is passed on: %s', (_, body, expected) => {
    expect(seenOf(body)).toEqual(expected);
    expect(seenOf(body, true)).toEqual(expected);
  });
});
