import { describe, expect, test } from 'vitest';
import { pieceRequest } from '../../../../test/support/piece-stream.ts';
import { instant } from '../../../base/time.ts';
import type { StreamFormat } from '../../../protocol/protocol.ts';
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
