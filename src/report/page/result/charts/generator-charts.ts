import type { Block } from '../../page.ts';
import { linesOverTime } from '../shown/blocks.ts';
import type { ShownRun } from '../shown/shown-run.ts';

/** What the generator added, and how it fared itself: where a stall is the service's, these lines stay flat. */
export function generatorCharts(runs: readonly ShownRun[]): readonly Block[] {
  return [...lateness(runs), ...processor(runs), ...memory(runs)];
}

const lateness = (runs: readonly ShownRun[]): readonly Block[] =>
  linesOverTime(
    runs,
    {
      id: 'lateness',
      title: 'Delay of the generator',
      description:
        'How late turns and sessions were sent, and how late the event loop was. Flat while latency rises: the service was slow. A peak here: the generator was.',
      unit: 'ms',
    },
    [
      { column: 'lateness.mean', label: 'lateness of turns, mean', tone: 'first' },
      { column: 'lateness.max', label: 'lateness of turns, greatest', tone: 'second' },
      { column: 'sessionLateness.max', label: 'lateness of sessions, greatest', tone: 'third' },
      { column: 'generator.eventLoopDelayP99Ms', label: 'event loop delay, p99', tone: 'generator' },
    ],
  );

const processor = (runs: readonly ShownRun[]): readonly Block[] =>
  linesOverTime(
    runs,
    {
      id: 'generator-processor',
      title: 'Processor of the generator',
      description:
        'Processor time over time passed, as a share of one core. Near 100 % the generator is the bottleneck.',
      unit: 'share',
    },
    [{ column: 'generator.cpuShare', label: 'of one core', tone: 'generator' }],
  );

const memory = (runs: readonly ShownRun[]): readonly Block[] =>
  linesOverTime(
    runs,
    {
      id: 'generator-memory',
      title: 'Memory of the generator',
      description: 'The most memory that the process used, and the least that its JavaScript heap did.',
      unit: 'bytes',
    },
    [
      { column: 'generator.rssBytes', label: 'process', tone: 'generator' },
      { column: 'generator.heapBytes', label: 'heap', tone: 'neutral' },
    ],
  );
