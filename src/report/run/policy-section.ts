import type { PolicyFigures } from '../../result/policies/policies.ts';
import { minSessions, type ComparedFigure, type PolicyInterval } from '../../result/policies/policy-intervals.ts';
import type { PolicyPair, PolicyVerdict } from '../../result/policies/policy-verdict.ts';
import { fact, type OutlineBlock } from '../outline/outline.ts';
import type { RangeRow, Unit } from '../page/page.ts';
import { countOf, formatCount, formatMs, formatShare } from '../../base/format.ts';
import { inRun, rangesBlock, type RunSection, type ShownRun } from './shown-run.ts';

/** Builds the section on goodput and cost of the retry policies; empty for a single policy. */
export const policySection: RunSection = (runs) => {
  const several = runs.filter(({ result }) => result.retries.policies.length > 1);
  return {
    on: ['terminal', 'page'],
    page: {
      id: 'policies',
      isSecondary: true,
      title: 'Retry policies compared',
      lead: 'Goodput and cost of each policy. The retry table has all figures.',
    },
    blocks: [
      ...several.flatMap(verdictBlocks),
      {
        type: 'made',
        page: () =>
          charts.flatMap(([id, unit, read, title, description]) => {
            const chart = { id: `policies-${id}`, title, description, unit, scale: 'linear', reference: null } as const;
            return rangesBlock(chart, rowsOf(several, read));
          }),
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
  const { differences, policy, other, goodput, cost } = pair;
  const [first, second] = [policy, other].map((name) => policies.find((each) => each.name === name)?.intervals);
  const served = differences.servedShare;
  if (served === null || differences.amplification === null)
    return `no verdict on ${policy} and ${other}: each needs ${String(minSessions)} ended sessions, they had ${formatCount(first?.sessions ?? 0)} and ${formatCount(second?.sessions ?? 0)}.`;
  const both = [first, second].filter((each) => each !== undefined);
  const against = (read: (intervals: PolicyFigures['intervals']) => string): string => both.map(read).join(' against ');
  const shares = `${against((each) => formatShare(each.servedShare?.value ?? null))} of turns`;
  const attempts = `${against((each) => each.amplification?.value.toFixed(2) ?? '-')} attempts per turn`;
  const ended = both.reduce((sum, { sessions }) => sum + sessions, 0);
  const head =
    goodput === 'more'
      ? `${policy} achieved more goodput than ${other}`
      : `no significant difference in goodput between ${policy} and ${other}`;
  const evidence = `${points(served, percent)} over ${sessionsText(ended, pair.sessions - ended)}`;
  const costs =
    cost === 'less' || cost === 'more'
      ? `${goodput === 'more' ? ', and' : `; ${policy}`} cost the service ${cost}`
      : '; no significant difference in cost to the service';
  const lost = timeLostText(first?.backoffActualPerTurnMs, second?.backoffActualPerTurnMs);
  return `${head}: ${shares} (${evidence})${costs}: ${attempts}.${lost}`;
}

/** Formats the numbers of sessions that ended (completed or failed after the warm-up) and that were not created, whose turns count as requested. */
const sessionsText = (ended: number, refused: number): string =>
  `${countOf(ended, 'ended session')}${refused === 0 ? '' : ` and ${formatCount(refused)} that ${refused === 1 ? 'was' : 'were'} not created`}`;

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

const overSessions =
  (figure: ComparedFigure) =>
  ({ intervals }: PolicyFigures): Range => {
    const { value = null, low = null, high = null } = intervals[figure] ?? {};
    return { value, low, high };
  };

const p95Of = ({ latency: { turn } }: PolicyFigures): Range => {
  const { lowMs = null, highMs = null } = turn.intervals?.p95Ms ?? {};
  return { value: turn.p95Ms, low: lowMs, high: highMs };
};

type Chart = readonly [id: string, unit: Unit, read: (policy: PolicyFigures) => Range, title: string, meaning: string];

const charts: readonly Chart[] = [
  [
    ...(['served', 'share', overSessions('servedShare')] as const),
    'Served: share of good turns among all requested',
    'Turns of sessions that could not be created count as not good. 95 % intervals over sessions.',
  ],
  [
    ...(['goodput', 'share', overSessions('goodputShare')] as const),
    'Goodput: share of good turns among ended turns',
    'Good: ok, and within the objective if there is one. 95 % intervals over sessions.',
  ],
  [
    ...(['amplification', 'ratio', overSessions('amplification')] as const),
    'Attempts per turn',
    'Cost of the policy to the service. 95 % intervals over sessions.',
  ],
  [
    ...(['backoff', 'ms', overSessions('backoffActualPerTurnMs')] as const),
    'Time lost to backoff per turn',
    'Waiting time before retries. 95 % intervals over sessions.',
  ],
  [
    ...(['p95', 'ms', p95Of] as const),
    'Turn latency, p95',
    'Includes retries and backoffs. 95 % intervals are estimated within the run, if there are enough values.',
  ],
];

function rowsOf(runs: readonly ShownRun[], read: (policy: PolicyFigures) => Range) {
  const names = [...new Set(runs.flatMap(({ result }) => result.retries.policies.map(({ name }) => name)))];
  return names.flatMap((name) =>
    runs.flatMap((run) => {
      const policies = run.result.retries.policies.filter((policy) => policy.name === name);
      return policies.map((policy) => ({ ...inRun(run, name, 'first'), ...read(policy) }));
    }),
  );
}
