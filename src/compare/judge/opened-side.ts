import { ChatLoadError } from '../../base/errors.ts';
import { UnreadableHistogram } from '../../record/sparse-histogram.ts';
import type { MissingFigure } from '../statistics/judge-family.ts';
import { openResult, type OpenResult } from '../figures/open-run.ts';
import type { Observed, RunReading } from '../document/run-figure.ts';
import type { RunOfSide, SideName } from '../document/side.ts';

/** A run of a side with its series at hand. */
export interface OpenedRun extends RunOfSide {
  open: OpenResult;
}
export type OpenedSides = Readonly<Record<SideName, readonly OpenedRun[]>>;

export function openRunOfSide(run: RunOfSide): OpenedRun {
  return { ...run, open: openResult(run.result) };
}

/** A figure of every run of a side, and why runs have none. */
interface SideFigures {
  observed: Observed[];
  missing: MissingFigure[];
}

/** Reads one figure of every run. A histogram that cannot be read is reported with its file. */
export function observe(runs: readonly OpenedRun[], read: (run: OpenedRun) => RunReading): SideFigures {
  const readings = runs.map((run) => ({ run: run.result.run, reading: readNamed(run, read) }));
  return {
    observed: readings.flatMap(({ run: { sitting, pair }, reading }) =>
      'figure' in reading ? [{ figure: reading.figure, sitting, pair }] : [],
    ),
    missing: readings.flatMap(({ reading }) => ('missing' in reading ? [reading] : [])),
  };
}

function readNamed(run: OpenedRun, read: (run: OpenedRun) => RunReading): RunReading {
  try {
    return read(run);
  } catch (thrown) {
    if (!(thrown instanceof UnreadableHistogram)) throw thrown;
    throw new ChatLoadError('usage', {
      message: `${run.file ?? `The run ${run.result.run.id}`} contains a histogram that cannot be read: ${thrown.message}.`,
      hint: 'The file was damaged or changed after it was written: leave it out, or measure again.',
      cause: thrown,
    });
  }
}
