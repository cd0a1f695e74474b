import { read } from 'node:fs';
import { promisify } from 'node:util';

const blockBytes = 1024 * 1024;
const readAsync = promisify(read);

/**
 * The bytes of an open file in blocks, the next of which is read while one is processed; `seen` is called with each of
 * them. A block is valid until the next one.
 */
export async function* readBlocks(file: number, seen: (block: Buffer) => void): AsyncGenerator<Buffer> {
  let [filling, free] = [Buffer.allocUnsafe(blockBytes), Buffer.allocUnsafe(blockBytes)];
  let position = 0;
  let next = readAsync(file, filling, 0, blockBytes, position);
  try {
    for (let { bytesRead } = await next; bytesRead > 0; { bytesRead } = await next) {
      const block = filling.subarray(0, bytesRead);
      position += bytesRead;
      [filling, free] = [free, filling];
      next = readAsync(file, filling, 0, blockBytes, position);
      seen(block);
      yield block;
    }
  } finally {
    // The file may be closed only after the last read.
    await next.catch(() => undefined);
  }
}
