import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { decodeLine } from '../../src/edge/disk/lines.ts';
import { journalEntrySchema, type IntervalEntry } from '../../src/result/journal/journal.ts';
import { machineNow } from './record-shards.ts';

/** An interval from the journal of a run, and the time of its arrival there, on the machine's clock. */
export interface SeenInterval {
  entry: IntervalEntry;
  at: number;
}

const lookMs = 5;

/** Follows the journal in a folder as soon as it exists, until the returned function is called. */
export function followJournal(folder: string): () => SeenInterval[] {
  const seen: SeenInterval[] = [];
  let file: number | undefined;
  let rest = Buffer.alloc(0);
  const room = Buffer.alloc(8 * 2 ** 20);
  const look = (): void => {
    const name = file === undefined ? readdirSync(folder).find((each) => each.endsWith('.ndjson')) : undefined;
    if (name !== undefined) file = openSync(join(folder, name), 'r');
    if (file === undefined) return;
    const read = readSync(file, room, 0, room.length, null);
    if (read === 0) return;
    const at = machineNow();
    rest = Buffer.concat([rest, room.subarray(0, read)]);
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
      const entry = journalEntrySchema.safeParse(decodeLine(rest.subarray(0, end))?.entry).data;
      if (entry?.kind === 'interval') seen.push({ entry, at });
      rest = rest.subarray(end + 1);
    }
  };
  const timer = setInterval(look, lookMs);
  return () => {
    clearInterval(timer);
    if (file !== undefined) look();
    if (file !== undefined) closeSync(file);
    file = undefined;
    return seen;
  };
}
