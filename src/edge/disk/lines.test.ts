import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Line, LineSplitter } from './lines.ts';

interface Seen {
  number: number;
  offset: number;
  text: string | undefined;
  isLast: boolean;
}

function split(file: Buffer, chunks: readonly number[], max = 1024): Seen[] {
  const seen: Seen[] = [];
  const splitter = new LineSplitter(max);
  const take = (lines: Iterable<Line>): void => {
    for (const { number, offset, bytes, isLast } of lines)
      seen.push({ number, offset, text: bytes?.toString(), isLast });
  };
  let at = 0;
  for (const size of [...chunks, file.length]) {
    // A reader reuses its buffer.
    const chunk = Buffer.from(file.subarray(at, at + size));
    take(splitter.push(chunk));
    chunk.fill(0);
    at += size;
  }
  take(splitter.end());
  return seen;
}

test('returns the lines of a file and their offsets, however it is cut into chunks', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'é', '"', ' ', '😀') });
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(9)), fc.constantFrom('\n', '\r\n'), (lines, chunks, end) => {
      const file = Buffer.from(lines.join(end));
      const seen = split(file, chunks);
      const ending = lines.at(-1) === '' ? lines.slice(0, -1) : lines;
      expect(seen.map(({ text }) => text)).toEqual(ending);
      for (const { offset, text = '' } of seen)
        expect(file.subarray(offset, offset + Buffer.byteLength(text)).toString()).toBe(text);
    }),
  );
});

test('omits a byte order mark, and detects a last line without an end', () => {
  expect(split(Buffer.from('\uFEFFa\nb'), [2, 2])).toEqual([
    { number: 1, offset: 3, text: 'a', isLast: false },
    { number: 2, offset: 5, text: 'b', isLast: true },
  ]);
});

test('skips a line that is too long, and continues after it', () => {
  expect(split(Buffer.from('ab\nabcdef\ncd\nabcdef'), [4, 2, 1], 3)).toMatchObject([
    { number: 1, text: 'ab' },
    { number: 2, text: undefined },
    { number: 3, text: 'cd', offset: 10 },
    { number: 4, text: undefined },
  ]);
});
