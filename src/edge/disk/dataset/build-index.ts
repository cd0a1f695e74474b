import { createHash } from 'node:crypto';
import { read as readChunk } from 'node:fs';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { ChatLoadError } from '../../../base/errors.ts';
import { fileReason } from '../../../base/file-reason.ts';
import type { FileKey } from '../record-index/file-key.ts';
import { openIndexPlace } from '../record-index/index-place.ts';
import { openIndex, type RecordIndex } from '../record-index/record-index.ts';
import { IndexWriter } from '../record-index/write-index.ts';
import { recordBytes } from './conversation-record.ts';
import { FoundConversations } from './found-conversations.ts';
import { indexSuffix, indexVersion, type IndexHeader } from './index-header.ts';
import { CsvReader } from './read-csv.ts';
import { readJsonl } from './read-jsonl.ts';

const chunkBytes = 1024 * 1024;
const readAsync = promisify(readChunk);

/** Reads an open file once and indexes it. Gives the index's own open file too. */
export async function buildIndex(
  path: string,
  { file, key }: { file: number; key: FileKey },
): Promise<{ index: RecordIndex; indexFile: number }> {
  const place = openIndexPlace(path, indexSuffix);
  try {
    const writer = new IndexWriter(place.file, recordBytes);
    writer.finish(await scan(path, { file, key }, writer));
    const index = openIndex(place.file, recordBytes);
    if (index === undefined) throw new Error('what was written is not what is there');
    place.keep();
    return { index, indexFile: place.file };
  } catch (thrown) {
    place.discard();
    if (thrown instanceof ChatLoadError) throw thrown;
    throw new ChatLoadError('environment', {
      message: `${path} cannot be indexed: ${fileReason(thrown)}.`,
      hint: 'The index needs about 20 bytes for each conversation, beside the file or in the folder that CHAT_LOAD_CACHE names.',
      cause: thrown,
    });
  }
}

async function scan(
  path: string,
  { file, key }: { file: number; key: FileKey },
  writer: IndexWriter,
): Promise<IndexHeader> {
  const found = new FoundConversations(writer);
  const reader = extname(path).toLowerCase() === '.csv' ? new CsvReader(found) : readJsonl(found);
  const hash = createHash('sha256');
  // Two chunks in turn: one is read while the other is looked at.
  const [one, two] = [Buffer.allocUnsafe(chunkBytes), Buffer.allocUnsafe(chunkBytes)];
  let position = 0;
  let [filling, free] = [one, two];
  let next = readAsync(file, filling, 0, chunkBytes, 0);
  for (let { bytesRead } = await next; bytesRead > 0; { bytesRead } = await next) {
    position += bytesRead;
    const chunk = filling.subarray(0, bytesRead);
    [filling, free] = [free, filling];
    next = readAsync(file, filling, 0, chunkBytes, position);
    hash.update(chunk);
    reader.push(chunk);
  }
  await reader.end();
  const columns = reader instanceof CsvReader ? columnsOf(path, reader) : null;
  const { count, lines, merged, skipped, turnCounts } = found;
  return { version: indexVersion, key, columns, digest: hash.digest('hex'), count, lines, merged, skipped, turnCounts };
}

function columnsOf(path: string, { columns, problem }: CsvReader): IndexHeader['columns'] {
  if (problem === undefined) return columns ?? null;
  throw new ChatLoadError('usage', {
    message: `The conversations cannot be read from ${path}: ${problem.why}.`,
    hint: problem.remedy,
  });
}
