import { expect, test } from 'vitest';
import { ReplyReader } from './reply-reader.ts';

test('a stream with a long line that arrives in small parts is read in linear time', () => {
  const reader = new ReplyReader('chat', 'text/event-stream');
  const part = Buffer.alloc(64, 'a');
  for (let bytes = 0; bytes < 2_000_000; bytes += part.length) reader.read(part);
  const event = '\n\ndata: {"model":"m","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}\n\n';
  for (const character of event) reader.read(Buffer.from(character));
  expect([reader.model, reader.usage]).toMatchObject(['m', { inputTokens: 3, outputTokens: 4 }]);
}, 2000);
