import type { Plan } from '../../plan/plan.ts';
import type { PartitionTotals } from '../../record/partition.ts';
import type { RunFacts } from '../../result/sections/run-facts.ts';
import type { Warning } from '../../result/sections/warning.ts';
import type { LiveLevels, ExportedTarget } from './exported-metrics.ts';

/** A run whose figures are exported while it goes on. Holds no secret. */
export interface ExportedRun {
  plan: Plan;
  run: Pick<RunFacts, 'id' | 'label' | 'startedAt' | 'toolVersion'>;
  target: ExportedTarget;
  live(): LiveLevels;
  totals(): readonly PartitionTotals[];
}

/** Exports runs, one after another. */
export interface RunExporter {
  observe(run: ExportedRun): ExportedObservation;
}

interface ExportedObservation {
  /**
   * The run has ended and its figures are final: exports them, and gives what did not arrive. Never rejects; `hurry` ends
   * any waiting.
   */
  end(hurry: AbortSignal): Promise<Warning[]>;
}
