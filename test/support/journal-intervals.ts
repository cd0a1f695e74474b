import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import { patient } from './deadline.ts';

/** Returns the number of intervals in the journal of a folder. */
export async function intervalsIn(folder: string): Promise<number> {
  const [journal] = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.ndjson'));
  const text = journal === undefined ? '' : await readFile(join(folder, journal), 'utf8');
  return text.split('"kind":"interval"').length - 1;
}

/** Waits until a journal has a number of intervals, which every shard has published by then. */
export async function waitForIntervals(folder: string, count: number): Promise<void> {
  await vi.waitFor(async () => {
    const found = await intervalsIn(folder);
    if (found < count) throw new Error(`the journal has ${String(found)} of ${String(count)} intervals`);
  }, patient);
}
