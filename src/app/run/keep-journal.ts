import { encodeLine } from '../../edge/disk/lines.ts';
import type { JournalWriter } from '../../edge/disk/write-journal.ts';
import type { EndEntry, GeneratorAccount, JournalEntry } from '../../result/journal/journal.ts';
import type { FleetJournal } from '../../coordinate.ts';
import type { LiveFeed } from './ports.ts';

/** Journal of an active run. */
interface KeptJournal extends FleetJournal {
  /** Writes the end of the run; resolves when everything is written. */
  end(
    ended: Pick<EndEntry, 'elapsedMs' | 'stop'> & Partial<Pick<EndEntry, 'workers'>>,
    account: GeneratorAccount,
  ): Promise<void>;
}

/** Consumers of the lines of a journal, each encoded once. */
interface Readers {
  writer?: JournalWriter | undefined;
  live?: LiveFeed | undefined;
}

/** Numbers the intervals of a run and writes them to its journal, each with the load on the generator. */
export function keepJournal(
  { writer, live }: Readers,
  { run, accountNow }: { run: string; accountNow: () => GeneratorAccount },
): KeptJournal {
  let [intervals, untilMs] = [0, 0];
  const write = (entry: JournalEntry): void => {
    const line = encodeLine(entry);
    writer?.add(line);
    live?.add(line);
  };
  return {
    failed: writer?.failed ?? new Promise(() => undefined),
    add: (piece, missing = []) => {
      if (writer === undefined && live === undefined) return;
      untilMs = Math.max(untilMs, piece.elapsedMs);
      const number = ++intervals;
      // Totals repeat the interval: half of the line.
      write({
        kind: 'interval',
        run,
        number,
        elapsedMs: untilMs,
        piece: { ...piece, totals: [] },
        ...(missing.length > 0 && { missing: [...missing] }),
        ...accountNow(),
      });
    },
    lost: (worker) => write({ kind: 'lost', run, worker }),
    warn: (warning) => write({ kind: 'warning', run, warning }),
    end: async ({ elapsedMs, stop, workers = null }, account) => {
      write({ kind: 'end', run, intervals, elapsedMs, stop, workers, ...account });
      await writer?.close();
    },
  };
}
