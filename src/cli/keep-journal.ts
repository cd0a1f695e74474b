import type { JournalWriter } from '../edge/disk/write-journal.ts';
import type { EndEntry, IntervalEntry } from '../result/journal.ts';
import type { GeneratorHealth } from '../result/generator-health.ts';
import type { Journal } from '../run.ts';

/** The journal of a run under way, which is told of its end. */
export interface KeptJournal extends Journal {
  /** The run has come to its end: waits until everything is written. */
  end(elapsedMs: number): Promise<void>;
}

/** Numbers the intervals of a run and writes them to its journal, each with how the generator fares. */
export function keepJournal(
  writer: JournalWriter,
  { run, generatorNow }: { run: string; generatorNow: () => GeneratorHealth },
): KeptJournal {
  let [intervals, untilMs] = [0, 0];
  return {
    failed: writer.failed,
    add: (piece) => {
      untilMs = Math.max(untilMs, piece.elapsedMs);
      const number = ++intervals;
      const generator = generatorNow();
      // Its totals are its interval once more: half of the line.
      const entry: IntervalEntry = {
        kind: 'interval',
        run,
        number,
        elapsedMs: untilMs,
        piece: { ...piece, totals: [] },
        generator,
      };
      writer.add(entry);
    },
    end: async (elapsedMs) => {
      const entry: EndEntry = { kind: 'end', run, intervals, elapsedMs };
      writer.add(entry);
      await writer.close();
    },
  };
}
