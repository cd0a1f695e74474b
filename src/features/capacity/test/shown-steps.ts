import type { StepVerdict } from '../document/step.ts';
import type { Shown } from '../search/search.ts';
import { emptyFigures } from './modelled-player.ts';

interface ShownAs {
  load: number;
  verdict: StepVerdict;
  certainty?: Shown['certainty'];
  purpose?: Shown['step']['purpose'];
  by?: Shown['step']['by'];
  pace?: Shown['pace'];
  /** Judged share, whose limit is 5 %; by default far from the limit, on the side of the verdict. */
  share?: number;
}

const limit = 0.05;
const usual: Readonly<Record<StepVerdict, number | null>> = {
  holds: 0,
  broken: 0.9,
  undecided: 0.05,
  no_evidence: null,
};

/** Builds the steps of a search, in order; their certainty is `full` by default. */
export function shownSteps(steps: readonly ShownAs[]): Shown[] {
  return steps.map(
    ({ load, verdict, certainty = 'full', purpose = 'narrow', by, pace, share = usual[verdict] ?? undefined }, at) => ({
      certainty,
      ...(pace === undefined ? {} : { pace }),
      endedMs: (at + 1) * 10_000,
      step: {
        number: at + 1,
        load,
        ...(by === undefined ? {} : { by }),
        purpose,
        verdict,
        reason: `${verdict} at ${String(load)}`,
        isSaturated: false,
        settledMs: 0,
        elapsedMs: 10_000,
        sent: 1000,
        sessions: 100,
        figures: emptyFigures,
        objectives: [
          {
            metric: 'turn.p95',
            condition: '< 2s',
            actual: null,
            limit,
            verdict: verdict === 'no_evidence' ? 'undecided' : verdict,
            share: share ?? null,
            low: share === undefined ? null : share * 0.8,
            high: share === undefined ? null : Math.min(1, share * 1.2 + 0.01),
          },
        ],
      },
    }),
  );
}
