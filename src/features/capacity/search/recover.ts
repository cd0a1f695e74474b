import type { Step } from '../document/step.ts';
import { type Recovery, type SearchSettings, roundLoad } from './search.ts';
import { SearchEnded, type StepRunner } from './step-runner.ts';
import { seemsToHold } from './estimate-limit.ts';
import { formatMs } from '../../../base/format.ts';

/** Maximum number of recovery steps before the service is given up; the pause doubles each time. */
const maxLooks = 7;

/** Waits after a broken step, then tests the service at a light load. Throws `SearchEnded` if it does not recover. */
export async function recover(
  { by, min }: Pick<SearchSettings, 'by' | 'min'>,
  runner: StepRunner,
  brokenStep: Step,
): Promise<Recovery | null> {
  const known = lightLoad(runner, { by, min, broken: brokenStep });
  // No rate has held yet: use one concurrent session, if it held in the probe.
  const isByProbe =
    known === null && by === 'rate' && runner.shown.some(({ step }) => step.by !== undefined && seemsToHold(step));
  const load = isByProbe ? 1 : known;
  const unit = isByProbe ? 'concurrency' : brokenStep.by;
  const since = runner.elapsedMs();
  await runner.rest();
  if (load === null) return null;
  for (let looks = 1; looks <= maxLooks; looks++) {
    const startMs = runner.elapsedMs();
    const step = await look(runner, { load, by: unit, afterStep: brokenStep.number, looks });
    if (hasRecovered(step))
      return { afterStep: brokenStep.number, load, recoveredMs: startMs - since + step.settledMs };
    // A recovery step is load as well: a service kept down by retries recovers only without any.
    if (looks < maxLooks) await runner.rest(2 ** looks);
  }
  throw new NotRecovered({ afterStep: brokenStep.number, load, recoveredMs: null }, runner.elapsedMs() - since);
}

/** A search that ends while the service is still broken records that it has not recovered. */
async function look(
  runner: StepRunner,
  { load, by, afterStep, looks }: { load: number; by: Step['by']; afterStep: number; looks: number },
): Promise<Step> {
  try {
    return await runner.play({ load, ...(by === undefined ? {} : { by }), purpose: 'recover', certainty: 'quick' });
  } catch (thrown) {
    if (!(thrown instanceof SearchEnded) || looks === 1) throw thrown;
    throw new SearchEnded(thrown.outcome, thrown.message, { afterStep, load, recoveredMs: null });
  }
}

class NotRecovered extends SearchEnded {
  constructor(recovery: Recovery, waitedMs: number) {
    const { afterStep, load } = recovery;
    super(
      'not_recovered',
      `after step ${String(afterStep)} the objectives did not hold again at ${String(load)} within ${formatMs(waitedMs)}: inspect the service, restart it, and search below that load with --max`,
      recovery,
    );
  }
}

/** Returns a quarter of the load, or the highest load that held if it is lower; `null`: none held. */
function lightLoad(
  { shown }: StepRunner,
  { by, min, broken }: Pick<SearchSettings, 'by' | 'min'> & { broken: Step },
): number | null {
  const held = shown.filter(({ step }) => step.by === broken.by && hasHeld(step)).map(({ step }) => step.load);
  if (held.length === 0) return null;
  const light = roundLoad(broken.load / 4, broken.by ?? by);
  return Math.max(broken.by === undefined ? min : 1, Math.min(Math.max(...held), light));
}

/** Probes are too short to count unless their verdict is certain. */
const hasHeld = (step: Step): boolean => (step.purpose === 'probe' ? step.verdict === 'holds' : seemsToHold(step));

/** A step without a turn does not show a recovery. */
const hasRecovered = (step: Step): boolean => seemsToHold(step) && step.objectives.some(({ share }) => share !== null);
