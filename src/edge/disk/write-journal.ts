import { open, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ChatLoadError } from '../../base/errors.ts';
import { encodeLine } from './lines.ts';
import { codeOf, numbered, syncFolder, unwritable } from './unwritable.ts';

/** Lines that wait for a slow disk: minutes of them. A longer wait is a failure. */
const maxWaitingBytes = 16 * 1024 * 1024;

/** A journal that grows line by line. */
export interface JournalWriter {
  readonly path: string;
  /** Writes and syncs a line, as `encodeLine` gives it, after those before it; never throws. */
  add(line: Buffer): void;
  /** Resolves once something could not be written, with an environment error; else never. Nothing is written after that. */
  readonly failed: Promise<ChatLoadError>;
  /** Waits for what is still to be written, and closes the file. */
  close(): Promise<void>;
  /** Removes the file, if it is there: what it held is kept elsewhere. Throws what the system says. */
  remove(): Promise<void>;
}

/**
 * Opens a journal with its first entry in it, under a name that was free: `peak.ndjson`, or else `peak-2.ndjson` and so
 * on. Throws an environment error when that cannot be done.
 */
export async function openJournal(wanted: string, header: object): Promise<JournalWriter> {
  for (let copy = 1; ; copy++) {
    const path = copy === 1 ? wanted : numbered(wanted, copy);
    const file = await open(path, 'ax').catch((thrown: unknown) => {
      if (codeOf(thrown) !== 'EEXIST') throw unwritableJournal(path, thrown);
    });
    if (file !== undefined) return begin(path, file, header);
  }
}

async function begin(path: string, file: FileHandle, header: object): Promise<JournalWriter> {
  try {
    // Not synced yet: the load is to start at the time that the header gives.
    await writeLine(file, encodeLine(header));
    return new DiskJournal(path, file);
  } catch (thrown) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true }).catch(() => undefined);
    throw unwritableJournal(path, thrown);
  }
}

/** Everything is done by promises, off the event loop's own thread; one line at a time. */
class DiskJournal implements JournalWriter {
  readonly path: string;
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

  add(line: Buffer): void {
    if (this.#hasFailed) return;
    if (this.#waitingBytes + line.length > maxWaitingBytes) return this.#fail(new Error('the disk does not keep up'));
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined));
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file.close().catch((thrown: unknown) => this.#fail(thrown));
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true }).catch((thrown: unknown) => {
      // Its folder is no longer one.
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
        // A file without a name can still be written, and is gone with the process.
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

/** In one write if possible; a disk with room for a part only reports the error at the next one. */
async function writeLine(file: FileHandle, line: Buffer): Promise<void> {
  let written = 0;
  while (written < line.length) written += (await file.write(line, written)).bytesWritten;
}

const unwritableJournal = (path: string, thrown: unknown): ChatLoadError =>
  unwritable(
    {
      what: `the journal ${path}`,
      hint: 'Free space, make the folder writable, or name another with --out: a run without a journal could be lost.',
    },
    thrown,
  );
