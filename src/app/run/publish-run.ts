import { excerpt } from '../../base/excerpt.ts';
import { redactTexts } from '../../base/redact.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Settled } from '../../plan/settle.ts';
import type { JournalHeader } from '../../result/journal/journal.ts';
import { buildResult, type ResultParts, type Result } from '../../result/result.ts';
import { type RunFacts, publishStop, type Stop } from '../../result/sections/run-facts.ts';
import type { RunOutcome } from '../../run.ts';

/** What is known of a run beside its own outcome. */
interface AroundRun extends Pick<
  ResultParts,
  'environment' | 'calibration' | 'generator' | 'generatorSamples' | 'traffic' | 'transport' | 'warnings'
> {
  run: JournalHeader['run'];
}

/** Makes the result of a run that has ended, without the key. */
export function publishRun(
  { plan, secrets }: Pick<Settled, 'plan' | 'secrets'>,
  { snapshot, elapsedMs, stop, warnings }: RunOutcome,
  around: AroundRun,
): Result {
  const run: RunFacts = {
    ...around.run,
    endedAt: new Date(Date.parse(around.run.startedAt) + elapsedMs).toISOString(),
    status: statusOf(stop),
    stop: publishedStop(stop, secrets),
  };
  return buildResult({
    ...around,
    run,
    plan: secrets.redactDocument(plan),
    snapshot,
    warnings: [...around.warnings, ...warnings],
  });
}

/** What ended a run before its end, as results and journals have it: without the key. */
export function publishedStop(stop: RunOutcome['stop'], secrets: Secrets): Stop | null {
  return redactTexts(publishStop(stop), (text) => excerpt(text, (whole) => secrets.redact(whole), longestReason));
}

/** A reason may quote what a service says. */
const longestReason = 1000;

function statusOf(stop: RunOutcome['stop']): RunFacts['status'] {
  if (stop === undefined) return 'completed';
  return stop.kind === 'signal' ? 'interrupted' : 'stopped';
}
