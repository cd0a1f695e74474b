import type { JournalWriter } from '../../edge/disk/write-journal.ts';
import type { EndEntry, GeneratorAccount, IntervalEntry } from '../../result/journal/journal.ts';
import type { Journal } from '../../run.ts';

/** The journal of a run under way; it is notified of its end. */
interface KeptJournal extends Journal {
  /** The run has ended: waits until everything is written. */
  end(ended: Pick<EndEntry, 'elapsedMs' | 'stop'>, account: GeneratorAccount): Promise<void>;
}

/** Numbers the intervals of a run and writes them to its journal, each with the load on the generator. */
export function keepJournal(
  writer: JournalWriter,
  { run, accountNow }: { run: string; accountNow: () => GeneratorAccount },
): KeptJournal {
  let [intervals, untilMs] = [0, 0];
  return {
    failed: writer.failed,
    add: (piece) => {
      untilMs = Math.max(untilMs, piece.elapsedMs);
      const number = ++intervals;
      // Its totals are its interval once more: half of the line.
      const entry: IntervalEntry = {
        kind: 'interval',
        run,
        number,
        elapsedMs: untilMs,
        piece: { ...piece, totals: [] },
        ...accountNow(),
      };
      writer.add(entry);
    },
    end: async ({ elapsedMs, stop }, account) => {
      const entry: EndEntry = { kind: 'end', run, intervals, elapsedMs, stop, ...account };
      writer.add(entry);
      await writer.close();
    },
  };
}
