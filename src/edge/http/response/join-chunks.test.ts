import { describe, expect, test } from 'vitest';
import { joinChunks } from './join-chunks.ts';

const start = 3;

/** The joined body, after three other bytes and before the rest of an earlier read. */
function join(text: string, maxBytes = 100): string | undefined {
  const whole = Buffer.from(`abc${text}`);
  const bytes = Buffer.concat([whole, Buffer.from('0\r\n\r\n5\r\nstale\r\n')]);
  const end = joinChunks(bytes, start, { end: whole.length, maxBytes });
  if (end === -1) expect(bytes.subarray(0, whole.length)).toEqual(whole);
  return end === -1 ? undefined : bytes.toString('utf8', start, end);
}

describe('chunks that are whole in one read', () => {
  test.each([
    ['none', '0\r\n\r\n', ''],
    ['one', '5\r\nhello\r\n0\r\n\r\n', 'hello'],
    ['several', '2\r\nhe\r\n1\r\nl\r\n2\r\nlo\r\n0\r\n\r\n', 'hello'],
    ['characters of several bytes', '2\r\né\r\n3\r\n€\r\n0\r\n\r\n', 'é€'],
    [
      'sizes in any case, with zeros before',
      '00A\r\n0123456789\r\n0b\r\n0123456789a\r\n000\r\n\r\n',
      '01234567890123456789a',
    ],
    ['line breaks in them', '4\r\n\r\n\r\n\r\n0\r\n\r\n', '\r\n\r\n'],
  ])('are joined: %s', (_, text, body) => {
    expect(join(text)).toBe(body);
  });

  test.each([
    ['a part', '5\r\nhel'],
    ['no last one', '5\r\nhello\r\n'],
    ['an unfinished last one', '5\r\nhello\r\n0\r\n'],
    ['bytes after it', '5\r\nhello\r\n0\r\n\r\nHTTP'],
    ['a trailer', '0\r\nA: b\r\n\r\n'],
    ['an extension', '5;x=y\r\nhello\r\n0\r\n\r\n'],
    ['no size', '\r\nhello\r\n0\r\n\r\n'],
    ['a size that is none', '-5\r\nhello\r\n0\r\n\r\n'],
    ['a size of many digits', '000005\r\nhello\r\n0\r\n\r\n'],
    ['a size that is too small', '4\r\nhello\r\n0\r\n\r\n'],
    ['a size that is too large', '6\r\nhello\r\n0\r\n\r\n'],
    ['a bare line feed', '5\nhello\n0\n\n'],
  ])('are left unchanged, for the slow path: %s', (_, text) => {
    expect(join(text)).toBeUndefined();
  });

  test('are left unchanged beyond the limit of a body', () => {
    const two = '3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n';
    expect(join(two, 6)).toBe('abcdef');
    expect(join(two, 5)).toBeUndefined();
  });
});
