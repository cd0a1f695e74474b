import type { StepVerdict } from '../document/step.ts';
import type { Shown } from './step-runner.ts';

/** All full steps of one load, or one quick step. */
export interface Evidence extends Shown {
  /** The numbers of the steps. */
  numbers: number[];
}

/** Replaces the full steps of a load by one that stands for all: their common evidence counts, not the best of several tries. */
export function poolLoads(shown: readonly Shown[]): Evidence[] {
  return shown.flatMap((each, at): Evidence[] => {
    const { step, certainty } = each;
    if (certainty !== 'full') return [{ ...each, numbers: [step.number] }];
    const isSame = (other: Shown): boolean => other.certainty === 'full' && other.step.load === step.load;
    if (shown.slice(at + 1).some(isSame)) return [];
    // A step that was cut short before anything could be judged shows nothing.
    const all = shown.filter(
      (other) => isSame(other) && (other.window !== undefined || other.step.verdict !== 'undecided'),
    );
    const last = all.at(-1) ?? each;
    if (all.length <= 1) return [{ ...last, numbers: [last.step.number] }];
    const objectives = last.pooled?.objectives ?? last.step.objectives;
    const pooled = { ...last.step, verdict: verdictOf(all), objectives };
    return [{ ...last, step: pooled, numbers: all.map((one) => one.step.number) }];
  });
}

/** The verdict that all steps agree on, else that of their pooled evidence. */
function verdictOf(all: readonly Shown[]): StepVerdict {
  const [verdict, ...others] = new Set(all.map(({ step }) => step.verdict));
  const pooled = all.at(-1)?.pooled?.verdict;
  const isAgreed = verdict !== undefined && others.length === 0;
  return isAgreed && (verdict === 'broken' || pooled === undefined) ? verdict : (pooled ?? 'undecided');
}
