import { objectivesText } from '../../../run/objectives-text.ts';
import type { Block } from '../../page.ts';
import { linesOverTime } from '../shown/blocks.ts';
import type { ShownRun } from '../shown/shown-run.ts';

/** What was sent and what came of it, and how much was under way. */
export function loadCharts(runs: readonly ShownRun[]): readonly Block[] {
  return [...rates(runs), ...sessionsLive(runs), ...turnsInFlight(runs), ...sessionRates(runs)];
}

const rates = (runs: readonly ShownRun[]): readonly Block[] =>
  linesOverTime(
    runs,
    {
      id: 'rates',
      title: 'Turns per second',
      description:
        'Turns by when they were first sent, and by when they ended ok or failed for good. What the warm-up left over is shown apart.',
      unit: 'perSecond',
    },
    [
      { column: 'turnsPerSecond.sent', label: 'sent', tone: 'neutral' },
      { column: 'turnsPerSecond.ok', label: 'ok', tone: 'ok' },
      { column: 'turnsPerSecond.failed', label: 'failed', tone: 'failed' },
      ...(runs.some(({ result }) => objectivesText(result.retries) !== null)
        ? [{ column: 'turnsPerSecond.good', label: 'ok within the objective', tone: 'first' as const }]
        : []),
      { column: 'turnsPerSecond.ofWarmUp', label: 'ended, left over from the warm-up', tone: 'third' },
    ],
  );

const sessionsLive = (runs: readonly ShownRun[]): readonly Block[] =>
  linesOverTime(
    runs,
    {
      id: 'sessions-live',
      title: 'Live sessions',
      description: 'Sessions between their first create attempt and their end, on average over each interval.',
      unit: 'count',
    },
    [{ column: 'live.sessions', label: 'live sessions', tone: 'first' }],
  );

const turnsInFlight = (runs: readonly ShownRun[]): readonly Block[] =>
  linesOverTime(
    runs,
    {
      id: 'turns-in-flight',
      title: 'Turns in flight',
      description:
        'Turns that were sent and had not ended, backoffs included, on average over each interval. They pile up where the service falls behind.',
      unit: 'count',
    },
    [{ column: 'live.turns', label: 'turns in flight', tone: 'first' }],
  );

const sessionRates = (runs: readonly ShownRun[]): readonly Block[] =>
  linesOverTime(
    runs,
    {
      id: 'session-rates',
      title: 'Sessions per second',
      description: 'Sessions by when they were started, created and ended.',
      unit: 'perSecond',
    },
    [
      { column: 'sessionsPerSecond.started', label: 'started', tone: 'neutral' },
      { column: 'sessionsPerSecond.created', label: 'created', tone: 'ok' },
      { column: 'sessionsPerSecond.notCreated', label: 'not created', tone: 'failed' },
      { column: 'sessionsPerSecond.ended', label: 'ended', tone: 'second' },
    ],
  );
