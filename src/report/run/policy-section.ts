import type { PolicyFigures } from '../../result/policies/policies.ts';
import { minSessions, type ComparedFigure, type PolicyInterval } from '../../result/policies/policy-intervals.ts';
import type { PolicyPair, PolicyVerdict } from '../../result/policies/policy-verdict.ts';
import { fact, type OutlineBlock } from '../outline/outline.ts';
import type { RangeRow, RangesBlock } from '../page/page.ts';
import { countOf, formatCount, formatMs, formatShare } from '../../base/format.ts';
import { inRun, rangesBlock, type RunSection, type ShownRun } from './shown-run.ts';

/** Which retry policy gave more goodput and what it cost the service; nothing for a single policy. */
export const policySection: RunSection = (runs) => {
  const several = runs.filter(({ result }) => result.retries.policies.length > 1);
  return {
    on: ['terminal', 'page'],
    page: {
      id: 'policies',
      title: 'Retry policies side by side',
      lead: 'What each policy gained and what it cost. All figures of each are in the table of retries.',
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

const caveat = 'They shared one service: the effect of one policy on it also reached the sessions of the others.';

/** The verdict in sentences: the best policy against each other one. */
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
    return `no verdict on ${policy} and ${other}: ${String(minSessions)} ended sessions of each are needed, there were ${formatCount(first?.sessions ?? 0)} and ${formatCount(second?.sessions ?? 0)}.`;
  const both = [first, second].filter((each) => each !== undefined);
  const against = (read: (intervals: PolicyFigures['intervals']) => string): string => both.map(read).join(' against ');
  const shares = `${against((each) => formatShare(each.servedShare?.value ?? null))} of turns`;
  const attempts = `${against((each) => each.amplification?.value.toFixed(2) ?? '-')} attempts per turn`;
  const ended = both.reduce((sum, { sessions }) => sum + sessions, 0);
  const evidence = `(${points(served, percent)} over ${sessionsText(ended, pair.sessions - ended)})`;
  const head =
    pair.goodput === 'more'
      ? `${policy} gave more goodput than ${other}: ${shares} ${evidence}`
      : `no difference in goodput shown between ${policy} and ${other}: ${shares} ${evidence}`;
  return `${head}${costText(pair, attempts)}${timeLostText(first?.backoffActualPerTurnMs, second?.backoffActualPerTurnMs)}`;
}

/** Ended: completed or failed after the warm-up, not cut. The turns of those that were not created count as asked for. */
const sessionsText = (ended: number, refused: number): string =>
  `${countOf(ended, 'ended session')}${refused === 0 ? '' : ` and ${formatCount(refused)} that ${refused === 1 ? 'was' : 'were'} not created`}`;

function costText({ goodput, cost, policy }: PolicyPair, attempts: string): string {
  if (cost !== 'less' && cost !== 'more') return `; no difference shown in what they cost the service: ${attempts}.`;
  return `${goodput === 'more' ? ', and' : `; ${policy}`} cost the service ${cost}: ${attempts}.`;
}

const timeLostText = (first: PolicyInterval | null | undefined, second: PolicyInterval | null | undefined): string =>
  first && second && first.value + second.value > 0
    ? ` Backoff took ${formatMs(first.value)} per turn against ${formatMs(second.value)}.`
    : '';

/** `+21.7 points, 95 % interval 18.9 to 24.5`; two digits where one would hide the width. */
function points({ value, low, high }: PolicyInterval, percent: string): string {
  const digits = high - low < 0.01 ? 2 : 1;
  const [middle, from, to] = [value, low, high].map((share) => (share * 100).toFixed(digits).replace('-', '−'));
  return `${value < 0 ? '' : '+'}${String(middle)} points, ${percent} interval ${String(from)} to ${String(to)}`;
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
