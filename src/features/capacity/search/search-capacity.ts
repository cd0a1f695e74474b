import { formatMs } from '../../../base/format.ts';
import type { Step } from '../document/step.ts';
import type { StepPlayer } from '../judge/player.ts';
import { claimsOf, isConfirmed, singleClaims } from './ends.ts';
import { planStep } from './plan-step.ts';
import { recover } from './recover.ts';
import type { BrokenEnd, Recovery, Search, SearchEnd, SearchSettings, Shown } from './search.ts';
import { SearchEnded, StepRunner } from './step-runner.ts';

/**
 * Searches for the highest load that meets every objective, by the player's clock. `onStep` is called after each step.
 */
export async function searchCapacity(
  settings: SearchSettings,
  player: StepPlayer,
  onStep: (step: Step) => void = () => undefined,
): Promise<Search> {
  const runner = new StepRunner(settings, player, onStep);
  const recoveries: Recovery[] = [];
  const { outcome, reason } = await conclude(settings, runner, recoveries);
  return {
    outcome,
    reason,
    ...endsOf(claiming(runner.shown), runner.ceiling.load),
    steps: runner.shown.map(({ step }) => step),
    recoveries,
    brokeWhereItHeld: brokenAgain(runner.shown),
    spent: { ...runner.spent },
    elapsedMs: player.elapsedMs(),
  };
}

async function conclude(
  settings: SearchSettings,
  runner: StepRunner,
  recoveries: Recovery[],
): Promise<Pick<Search, 'outcome' | 'reason'>> {
  try {
    for (;;) {
      const { ceiling, fullMs, fullTurns } = runner;
      const decision = planStep({ settings, shown: claiming(runner.shown), ceiling, fullMs, fullTurns });
      if ('end' in decision && decision.end === 'undecided' && runner.extend()) continue;
      if ('end' in decision) return { outcome: decision.end, reason: decision.reason };
      const step = await runner.play(decision.play);
      if (step.verdict !== 'broken') continue;
      const recovery = await recover(settings, runner, step);
      if (recovery !== null) recoveries.push(recovery);
    }
  } catch (thrown) {
    if (!(thrown instanceof SearchEnded)) throw thrown;
    if (thrown.recovery !== null) recoveries.push(thrown.recovery);
    return { outcome: thrown.outcome, reason: thrown.message + missingText(thrown, runner) };
  }
}

function missingText({ outcome }: SearchEnded, { shown, fullMs }: StepRunner): string {
  if (outcome !== 'bounded') return '';
  const { holding, broken } = claimsOf(claiming(shown));
  const timesOf = (claims: readonly { steps: readonly number[] }[]): number =>
    Math.min(2, Math.max(0, ...claims.map(({ steps }) => steps.length)));
  const missing = Math.max(1, 4 - timesOf(holding) - timesOf(broken));
  return `; about ${formatMs(missing * fullMs)} more would be needed to show both ends`;
}

const claiming = (shown: readonly Shown[]): Shown[] => shown.filter(({ step }) => step.purpose !== 'recover');

/** Returns the narrowest interval shown twice; otherwise the widest that full steps showed once; otherwise the interval of quick steps. */
function endsOf(shown: readonly Shown[], ceiling: number): { holds: SearchEnd | null; broken: BrokenEnd | null } {
  const full = claimsOf(shown);
  const once = singleClaims(
    shown.filter(({ certainty }) => certainty === 'full'),
    full,
  );
  const quick = singleClaims(shown, full);
  const holds =
    full.holding.findLast(isConfirmed) ?? full.holding[0] ?? once.holding[0] ?? quick.holding.at(-1) ?? null;
  const breaking = [
    ...full.broken.filter(isConfirmed),
    ...full.broken.toReversed(),
    ...once.broken.toReversed(),
    ...quick.broken,
  ];
  const broken = breaking.find(({ load }) => load < ceiling) ?? null;
  if (broken === null) return { holds, broken: null };
  const last = shown.find(({ step }) => step.number === broken.steps.at(-1))?.step;
  return { holds, broken: { ...broken, ...howItBroke(last) } };
}

function howItBroke(step: Step | undefined): Pick<BrokenEnd, 'objective' | 'reason' | 'isSaturated'> {
  const objective = step?.objectives.find(({ verdict }) => verdict === 'broken')?.metric ?? null;
  return { objective, reason: step?.reason ?? '', isSaturated: step?.isSaturated ?? false };
}

function brokenAgain(shown: readonly Shown[]): number[] {
  const full = claiming(shown).filter(({ certainty }) => certainty === 'full');
  const again = full.filter(
    ({ step }, at) =>
      step.verdict === 'broken' &&
      full.slice(0, at).some((before) => before.step.load === step.load && before.step.verdict === 'holds'),
  );
  return [...new Set(again.map(({ step }) => step.load))];
}
