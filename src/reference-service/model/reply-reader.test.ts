import { expect, test } from 'vitest';
import { growthOf } from '../../../test/support/growth.ts';
import { ReplyReader } from './reply-reader.ts';

/** Reads a stream of a line of `bytes` in small parts, and then an event. */
function readLong(bytes: number): ReplyReader {
  const reader = new ReplyReader('chat', 'text/event-stream');
  const part = Buffer.alloc(64, 'a');
  for (let read = 0; read < bytes; read += part.length) reader.read(part);
  const event = '\n\ndata: {"model":"m","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}\n\n';
  for (const character of event) reader.read(Buffer.from(character));
  return reader;
}

test('a stream with a long line that arrives in small parts is read in linear time', () => {
  const { model, usage } = readLong(2_000_000);
  expect([model, usage]).toMatchObject(['m', { inputTokens: 3, outputTokens: 4 }]);
  expect(growthOf(readLong, 250_000)).toBeLessThan(24);
});
