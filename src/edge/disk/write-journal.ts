import { open, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ChatLoadError } from '../../base/errors.ts';
import { encodeLine } from './lines.ts';
import { codeOf, numbered, syncFolder, unwritable } from './unwritable.ts';

/** Maximum size of the lines that wait for a slow disk: minutes of them. */
const maxWaitingBytes = 16 * 1024 * 1024;

/**
 * Creates a journal with its first entry, under a free name: `peak.ndjson`, or else `peak-2.ndjson` and so on. Throws an
 * environment error if that fails.
 */
export async function openJournal(wanted: string, header: object): Promise<JournalWriter> {
  for (let copy = 1; ; copy++) {
    const path = copy === 1 ? wanted : numbered(wanted, copy);
    const file = await open(path, 'ax').catch((thrown: unknown) => {
      if (codeOf(thrown) !== 'EEXIST') throw unwritableJournal(path, thrown);
    });
    if (file === undefined) continue;
    try {
      // Not synced yet: the load must start at the time in the header.
      await writeLine(file, encodeLine(header));
      return new DiskJournal(path, file);
    } catch (thrown) {
      await file.close().catch(() => undefined);
      await rm(path, { force: true }).catch(() => undefined);
      throw unwritableJournal(path, thrown);
    }
  }
}

export type JournalWriter = Pick<DiskJournal, 'path' | 'add' | 'failed' | 'close' | 'remove'>;

/** Writes one line at a time, by promises, which do not block the event loop. */
class DiskJournal {
  readonly path: string;
  /** Resolves with an environment error if something could not be written, after which nothing is written; otherwise never. */
  readonly failed: Promise<ChatLoadError>;
  readonly #file: FileHandle;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  #isNameSynced = false;
  #hasFailed = false;
  #reportFailure: (error: ChatLoadError) => void = () => undefined;

  constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
    this.failed = new Promise((resolve) => (this.#reportFailure = resolve));
  }

  /** Writes and syncs a line of `encodeLine`, after the lines before it; never throws. */
  add(line: Buffer): void {
    if (this.#hasFailed) return;
    if (this.#waitingBytes + line.length > maxWaitingBytes) return this.#fail(new Error('the disk does not keep up'));
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined));
  }

  /** Waits until everything is written, and closes the file. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#file.close().catch((thrown: unknown) => this.#fail(thrown));
  }

  /** Removes the file, if it exists: its content is kept elsewhere. Throws system errors. */
  async remove(): Promise<void> {
    await rm(this.path, { force: true }).catch((thrown: unknown) => {
      // The folder of the journal was replaced by a file.
      if (codeOf(thrown) !== 'ENOTDIR') throw thrown;
    });
  }

  async #writeAll(): Promise<void> {
    try {
      for (let line = this.#waiting.shift(); line !== undefined; line = this.#waiting.shift()) {
        this.#waitingBytes -= line.length;
        await writeLine(this.#file, line);
        await this.#file.datasync();
        if (!this.#isNameSynced) await syncFolder(dirname(this.path));
        this.#isNameSynced = true;
        // A file without a name can still be written to, and disappears with the process.
        if ((await this.#file.stat()).nlink === 0) throw new Error('it was removed, or its folder was');
      }
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #fail(thrown: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#waiting.length = 0;
    this.#reportFailure(unwritableJournal(this.path, thrown));
  }
}

/** Repeats incomplete writes: a disk with room for a part reports the error only at the next write. */
async function writeLine(file: FileHandle, line: Buffer): Promise<void> {
  let written = 0;
  while (written < line.length) written += (await file.write(line, written)).bytesWritten;
}

const unwritableJournal = (path: string, thrown: unknown): ChatLoadError =>
  unwritable(
    `the journal ${path}`,
    'Free space, make the folder writable, or name another with --out: a run without a journal could be lost.',
    thrown,
  );
