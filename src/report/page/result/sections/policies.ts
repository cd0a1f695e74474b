import type { PolicyFigures } from '../../../../result/policies/policies.ts';
import type { ComparedFigure } from '../../../../result/policies/policy-intervals.ts';
import { pairTexts, policyCaveat } from '../../../run/policy-lines.ts';
import type { Block, RangesBlock, RangeRow } from '../../page.ts';
import { proseBlock } from '../../prose-block.ts';
import { rangesBlock } from '../shown/blocks.ts';
import type { SectionView } from '../shown/section-view.ts';
import { inRun, type ShownRun } from '../shown/shown-run.ts';

export const policies: SectionView = {
  id: 'policies',
  title: 'Retry policies side by side',
  lead: 'What each policy gained and what it cost. All figures of each are in the table of retries.',
  view: (runs) => {
    const several = runs.filter(({ result }) => result.retries.policies.length > 1);
    return [
      ...several.flatMap(verdict),
      ...charts.flatMap(({ read, ...chart }) => rangesBlock({ ...chart, ...bare }, rowsOf(several, read))),
    ];
  },
};

function verdict({ result: { retries }, isOverlaid, name }: ShownRun): readonly Block[] {
  if (retries.verdict === null) return [];
  const lines = pairTexts(retries.verdict, retries.policies);
  return proseBlock([...lines.map((line) => (isOverlaid ? `${name}: ${line}` : line)), policyCaveat]);
}

type Range = Pick<RangeRow, 'value' | 'low' | 'high'>;
const bare = { scale: 'linear', reference: null } as const;

const ofSessions =
  (figure: ComparedFigure) =>
  ({ intervals }: PolicyFigures): Range => {
    const { value = null, low = null, high = null } = intervals[figure] ?? {};
    return { value, low, high };
  };

const charts: readonly (Pick<RangesBlock, 'id' | 'title' | 'description' | 'unit'> & {
  read: (policy: PolicyFigures) => Range;
})[] = [
  {
    id: 'policies-served',
    title: 'Served: good turns of all that were asked for',
    description: 'Turns of sessions that could not be created count as not good. With 95 % intervals over sessions.',
    unit: 'share',
    read: ofSessions('servedShare'),
  },
  {
    id: 'policies-goodput',
    title: 'Goodput: good turns of those that ended',
    description: 'Good: ok, and within the objective if there is one. With 95 % intervals over sessions.',
    unit: 'share',
    read: ofSessions('goodputShare'),
  },
  {
    id: 'policies-amplification',
    title: 'Attempts per turn',
    description: 'What the policy cost the service. With 95 % intervals over sessions.',
    unit: 'ratio',
    read: ofSessions('amplification'),
  },
  {
    id: 'policies-backoff',
    title: 'Time lost to backoff per turn',
    description: 'What turns waited before their retries. With 95 % intervals over sessions.',
    unit: 'ms',
    read: ofSessions('backoffActualPerTurnMs'),
  },
  {
    id: 'policies-p95',
    title: 'Turn latency, p95',
    description:
      'Retries and backoffs included. With 95 % intervals from the scatter within the run, where there are enough values.',
    unit: 'ms',
    read: ({ latency: { turn } }) => ({
      value: turn.p95Ms,
      low: turn.intervals?.p95Ms?.lowMs ?? null,
      high: turn.intervals?.p95Ms?.highMs ?? null,
    }),
  },
];

/** The runs beside each other, policy by policy. */
function rowsOf(runs: readonly ShownRun[], read: (policy: PolicyFigures) => Range): RangeRow[] {
  const names = [...new Set(runs.flatMap(({ result }) => result.retries.policies.map(({ name }) => name)))];
  return names.flatMap((name) =>
    runs.flatMap((run) =>
      run.result.retries.policies
        .filter((policy) => policy.name === name)
        .map((policy) => ({ ...inRun(run, name, 'first'), ...read(policy), margin: null, note: '' })),
    ),
  );
}
