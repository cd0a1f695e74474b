import type { PolicyPair, PolicyVerdict } from '../../result/policies/policy-verdict.ts';
import { leastSessions, type PolicyInterval } from '../../result/policies/policy-intervals.ts';
import type { PolicyFigures } from '../../result/policies/policies.ts';
import type { Result } from '../../result/result.ts';
import { countOf, formatCount, formatMs, formatShare } from '../words/format.ts';
import type { Style } from '../words/table.ts';
import { wrap } from '../words/wrap.ts';
import { servedOf } from './retry-table.ts';

const title = 'POLICIES  ';

/** Which retry policy gave more goodput and what it cost the service, in words; '' for a single policy. */
export function policyLines({ retries: { policies, verdict } }: Result, { colors, width }: Style): string {
  if (verdict === null) return '';
  const lines = pairTexts(verdict, policies).flatMap((sentence) => wrap(sentence, width - title.length));
  const caveat = wrap(policyCaveat, width - title.length).map((line) => colors.dim(line));
  return [...lines, ...caveat].map((line, index) => (index === 0 ? title : ' '.repeat(title.length)) + line).join('\n');
}

export const policyCaveat =
  'They shared one service: the effect of one policy on it also reached the sessions of the others.';

/** The verdict in sentences: the best policy against each other one. */
export function pairTexts({ pairs, confidence }: PolicyVerdict, policies: readonly PolicyFigures[]): string[] {
  const percent = `${String(confidence * 100)} %`;
  return pairs.map((pair) => pairText(pair, policies, percent));
}

function pairText(pair: PolicyPair, policies: readonly PolicyFigures[], percent: string): string {
  const { differences, policy, other } = pair;
  const [first, second] = [policy, other].map((name) => policies.find((each) => each.name === name)?.intervals);
  const { amplification } = differences;
  const served = servedOf(differences);
  if (served === null || amplification === null)
    return `no verdict on ${policy} and ${other}: ${String(leastSessions)} ended sessions of each are needed, there were ${formatCount(first?.sessions ?? 0)} and ${formatCount(second?.sessions ?? 0)}.`;
  const both = [first, second].filter((each) => each !== undefined);
  const against = (read: (intervals: PolicyFigures['intervals']) => string): string => both.map(read).join(' against ');
  const shares = `${against((each) => formatShare(servedOf(each)?.value ?? null))} of turns`;
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
