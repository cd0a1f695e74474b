import { expect, test } from 'vitest';
import { foreignBytes } from './container-of.ts';

test.each<[string, Buffer, string, string]>([
  ['a.csv.gz', Buffer.from('1f8b08', 'hex'), 'compressed with gzip', 'gunzip -c a.csv.gz > a.csv'],
  ['a b.csv', Buffer.from('1f8b08', 'hex'), 'compressed with gzip', "gunzip -c 'a b.csv' > 'a b.csv.unpacked'"],
  ['a.zst', Buffer.from('28b52ffd00', 'hex'), 'compressed with Zstandard', 'zstd -dc a.zst > a'],
  ['a.csv.bz2', Buffer.from('BZh9'), 'compressed with bzip2', 'bunzip2 -c a.csv.bz2 > a.csv'],
  ['a.zip', Buffer.from('PK\u0003\u0004'), 'a ZIP archive', 'unzip a.zip'],
  ['a.csv', Buffer.from('\ufefftime', 'utf16le'), 'UTF-16', 'iconv -f UTF-16 -t UTF-8 a.csv > a.utf8.csv'],
  ['a.csv', Buffer.from('time', 'utf16le'), 'UTF-16', 'iconv -f UTF-16LE -t UTF-8 a.csv > a.utf8.csv'],
  ['a', Buffer.from('time', 'utf16le').swap16(), 'UTF-16', 'iconv -f UTF-16BE -t UTF-8 a > a.utf8'],
  ['a.arrow', Buffer.from('ARROW1'), 'an Arrow file', 'Write it as JSON Lines'],
  [
    "it's.parquet",
    Buffer.from('PAR1'),
    'a Parquet file',
    `duckdb -c "COPY (FROM 'it''s.parquet') TO 'it''s.jsonl' (FORMAT json)"`,
  ],
  ['$a', Buffer.from('PAR1'), 'a Parquet file', String.raw`duckdb -c 'COPY (FROM '\''$a'\'') TO '\''$a.jsonl'\'' (`],
])('%s that begins with %j is %s', (path, start, is, command) => {
  const found = foreignBytes(path, start);
  expect(found?.problem).toBe(`it is ${is}`);
  expect(found?.remedy).toContain(command);
});

test.each(['', '{"a":1}', 'time,user', '\ufeff[', 'é', '7'])('text is not foreign: %j', (text) => {
  expect(foreignBytes('a', Buffer.from(text))).toBeUndefined();
});
