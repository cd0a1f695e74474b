import type { PolicyFigures } from '../../result/policies/policies.ts';
import { minSessions, type ComparedFigure, type PolicyInterval } from '../../result/policies/policy-intervals.ts';
import type { PolicyPair, PolicyVerdict } from '../../result/policies/policy-verdict.ts';
import { fact, type OutlineBlock } from '../outline/outline.ts';
import type { RangeRow, RangesBlock } from '../page/page.ts';
import { countOf, formatCount, formatMs, formatShare } from '../../base/format.ts';
import { inRun, rangesBlock, type RunSection, type ShownRun } from './shown-run.ts';

/** Goodput and cost of the retry policies; empty for a single policy. */
export const policySection: RunSection = (runs) => {
  const several = runs.filter(({ result }) => result.retries.policies.length > 1);
  return {
    on: ['terminal', 'page'],
    page: {
      id: 'policies',
      title: 'Retry policies compared',
      lead: 'Goodput and cost of each policy. The retry table has all figures.',
    },
    blocks: [
      ...several.flatMap(verdictBlocks),
      {
        type: 'made',
        page: () => charts.flatMap(({ read, ...chart }) => rangesBlock({ ...chart, ...bare }, rowsOf(several, read))),
      },
    ],
  };
};

function verdictBlocks({ result: { retries }, isOverlaid, name }: ShownRun): OutlineBlock[] {
  const { verdict, policies } = retries;
  if (verdict === null) return [];
  const texts = pairTexts(verdict, policies).map((text) => (isOverlaid ? `${name}: ${text}` : text));
  return [...texts.map((text, index) => fact(index === 0 ? 'POLICIES' : '', text)), fact('', caveat, 'dim')];
}

const caveat = 'The policies shared one service, so each also affected the sessions of the others.';

/** Describes the verdict: the best policy against each of the others. */
function pairTexts({ pairs, confidence }: PolicyVerdict, policies: readonly PolicyFigures[]): string[] {
  const percent = `${String(confidence * 100)} %`;
  return pairs.map((pair) => pairText(pair, policies, percent));
}

function pairText(pair: PolicyPair, policies: readonly PolicyFigures[], percent: string): string {
  const { differences, policy, other } = pair;
  const [first, second] = [policy, other].map((name) => policies.find((each) => each.name === name)?.intervals);
  const { amplification } = differences;
  const served = differences.servedShare;
  if (served === null || amplification === null)
    return `no verdict on ${policy} and ${other}: each needs ${String(minSessions)} ended sessions, they had ${formatCount(first?.sessions ?? 0)} and ${formatCount(second?.sessions ?? 0)}.`;
  const both = [first, second].filter((each) => each !== undefined);
  const against = (read: (intervals: PolicyFigures['intervals']) => string): string => both.map(read).join(' against ');
  const shares = `${against((each) => formatShare(each.servedShare?.value ?? null))} of turns`;
  const attempts = `${against((each) => each.amplification?.value.toFixed(2) ?? '-')} attempts per turn`;
  const ended = both.reduce((sum, { sessions }) => sum + sessions, 0);
  const evidence = `(${points(served, percent)} over ${sessionsText(ended, pair.sessions - ended)})`;
  const head =
    pair.goodput === 'more'
      ? `${policy} achieved more goodput than ${other}: ${shares} ${evidence}`
      : `no significant difference in goodput between ${policy} and ${other}: ${shares} ${evidence}`;
  return `${head}${costText(pair, attempts)}${timeLostText(first?.backoffActualPerTurnMs, second?.backoffActualPerTurnMs)}`;
}

/** Ended sessions completed or failed after the warm-up and were not cut. Turns of sessions not created count as requested. */
const sessionsText = (ended: number, refused: number): string =>
  `${countOf(ended, 'ended session')}${refused === 0 ? '' : ` and ${formatCount(refused)} that ${refused === 1 ? 'was' : 'were'} not created`}`;

function costText({ goodput, cost, policy }: PolicyPair, attempts: string): string {
  if (cost !== 'less' && cost !== 'more') return `; no significant difference in cost to the service: ${attempts}.`;
  return `${goodput === 'more' ? ', and' : `; ${policy}`} cost the service ${cost}: ${attempts}.`;
}

const timeLostText = (first: PolicyInterval | null | undefined, second: PolicyInterval | null | undefined): string =>
  first && second && first.value + second.value > 0
    ? ` Backoff took ${formatMs(first.value)} per turn against ${formatMs(second.value)}.`
    : '';

/** Formats a difference of shares: `+21.7 points, 95 % interval 18.9 to 24.5`; two digits for narrow intervals. */
function points({ value, low, high }: PolicyInterval, percent: string): string {
  const digits = high - low < 0.01 ? 2 : 1;
  const [middle, from, to] = [value, low, high].map((share) => (share * 100).toFixed(digits).replace('-', '−'));
  return `${value < 0 ? '' : '+'}${String(middle)} points, ${percent} interval ${String(from)} to ${String(to)}`;
}

type Range = Pick<RangeRow, 'value' | 'low' | 'high'>;
const bare = { scale: 'linear', reference: null } as const;

const overSessions =
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
    title: 'Served: share of good turns among all requested',
    description: 'Turns of sessions that could not be created count as not good. 95 % intervals over sessions.',
    unit: 'share',
    read: overSessions('servedShare'),
  },
  {
    id: 'policies-goodput',
    title: 'Goodput: share of good turns among those that ended',
    description: 'Good: ok, and within the objective if there is one. 95 % intervals over sessions.',
    unit: 'share',
    read: overSessions('goodputShare'),
  },
  {
    id: 'policies-amplification',
    title: 'Attempts per turn',
    description: 'Cost of the policy to the service. 95 % intervals over sessions.',
    unit: 'ratio',
    read: overSessions('amplification'),
  },
  {
    id: 'policies-backoff',
    title: 'Time lost to backoff per turn',
    description: 'Waiting time before retries. 95 % intervals over sessions.',
    unit: 'ms',
    read: overSessions('backoffActualPerTurnMs'),
  },
  {
    id: 'policies-p95',
    title: 'Turn latency, p95',
    description:
      'Includes retries and backoffs. 95 % intervals are estimated within the run, if there are enough values.',
    unit: 'ms',
    read: ({ latency: { turn } }) => ({
      value: turn.p95Ms,
      low: turn.intervals?.p95Ms?.lowMs ?? null,
      high: turn.intervals?.p95Ms?.highMs ?? null,
    }),
  },
];

/** Compares the runs, policy by policy. */
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
