import type { FileHandle } from 'node:fs/promises';

/** Longer lines are cut off in memory and given as malformed. */
const mostLineBytes = 16 * 1024 * 1024;
const blockBytes = 1024 * 1024;

export interface FileLine {
  /** From 1. */
  number: number;
  /** `undefined`: it is too long. */
  text: string | undefined;
}

/** The lines of a file in constant memory, without their ends and a byte order mark; `seen` is given all its bytes. */
export async function* readLines(
  file: FileHandle,
  seen: (block: Buffer) => void,
): AsyncGenerator<readonly FileLine[], void> {
  const block = Buffer.allocUnsafe(blockBytes);
  const parts = new LineParts();
  let position = 0;
  for (;;) {
    const { bytesRead } = await file.read(block, 0, blockBytes, position);
    if (bytesRead === 0) break;
    const read = block.subarray(0, bytesRead);
    seen(read);
    position += bytesRead;
    yield parts.take(read);
  }
  yield parts.rest();
}

/** Puts lines together that go over the end of a block. */
class LineParts {
  #begun: Buffer[] = [];
  #begunBytes = 0;
  #number = 0;

  take(block: Buffer): FileLine[] {
    const lines: FileLine[] = [];
    let from = 0;
    for (let end = block.indexOf(10); end !== -1; end = block.indexOf(10, from)) {
      lines.push(this.#end(block.subarray(from, end)));
      from = end + 1;
    }
    this.#begin(block.subarray(from));
    return lines;
  }

  rest(): FileLine[] {
    return this.#begunBytes === 0 ? [] : [this.#end(Buffer.alloc(0))];
  }

  #begin(part: Buffer): void {
    // The block is used again: what goes on in the next one is copied.
    if (this.#begunBytes <= mostLineBytes && part.length > 0) this.#begun.push(Buffer.from(part));
    this.#begunBytes += part.length;
  }

  #end(part: Buffer): FileLine {
    this.#number += 1;
    const bytes = this.#begunBytes + part.length;
    const text =
      this.#begunBytes === 0 ? part.toString('utf8') : Buffer.concat([...this.#begun, part]).toString('utf8');
    this.#begun = [];
    this.#begunBytes = 0;
    return { number: this.#number, text: bytes > mostLineBytes ? undefined : cleaned(text, this.#number) };
  }
}

function cleaned(text: string, number: number): string {
  const line = number === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text;
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
