import type { Block } from '../../page.ts';
import { linesOverTime } from '../shown/blocks.ts';
import type { ShownRun } from '../shown/shown-run.ts';

/** Retries and what turns waited for them; nothing where nothing was retried. */
export function retryCharts(runs: readonly ShownRun[]): readonly Block[] {
  return [
    ...linesOverTime(
      runs,
      {
        id: 'retries-over-time',
        title: 'Retries per second',
        description: 'Retries of turns, by when they were sent. A storm is a peak that outlasts its cause.',
        unit: 'perSecond',
      },
      [{ column: 'retriesPerSecond', label: 'retries', tone: 'retry' }],
    ),
    ...linesOverTime(
      runs,
      {
        id: 'backoff-over-time',
        title: 'Backoff',
        description: 'What turns waited before a retry, by when it was sent.',
        unit: 'ms',
      },
      [
        { column: 'backoffActual.mean', label: 'mean', tone: 'retry' },
        { column: 'backoffActual.max', label: 'longest', tone: 'neutral' },
      ],
    ),
  ];
}
