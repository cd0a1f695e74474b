import type {
  Comparability,
  Comparison,
  Difference,
  MetricComparison,
  Refusal,
} from '../../compare/document/comparison.ts';
import { countOf, formatCount, listFirst } from '../../base/format.ts';
import { factsOf } from '../outline/outline.ts';
import type { Fact } from '../page/page.ts';
import { formatChange, formatMargin, formatP } from '../words/format-change.ts';
import { clean } from '../words/paragraph.ts';
import { cut } from '../words/width.ts';

export const verdictLabels: Readonly<Record<Comparison['verdict'], string>> = {
  regressed: 'REGRESSED',
  improved: 'IMPROVED',
  unchanged: 'UNCHANGED',
  inconclusive: 'INCONCLUSIVE',
  not_comparable: 'NOT COMPARABLE',
};

export const verdictPaints = {
  regressed: 'red',
  not_comparable: 'red',
  inconclusive: 'yellow',
  improved: 'green',
  unchanged: 'green',
} as const satisfies Record<Comparison['verdict'], string>;

/** Describes the finding in a sentence or two, without repeating the verdict. */
export function foundText({ verdict, summary, confirmation }: Comparison): string {
  const text = clean(summary);
  const lead = `${verdictLabels[verdict]}: `;
  const finding = text.toUpperCase().startsWith(lead) ? text.slice(lead.length) : text;
  return confirmation?.verdict === 'confirmed' ? `${finding} A second set of runs confirmed it.` : finding;
}

/** Names scenario and sides: `peak, v1.5.0 against v1.4.2`. */
export function opponents({ scenario, base, head }: Record<'base' | 'head', { label: string }> & Named): string {
  return `${short(scenario.name)}, ${short(head.label)} against ${short(base.label)}`;
}

interface Named {
  scenario: { name: string };
}

export function comparisonFacts(comparison: Comparison): Fact[] {
  const { scenario, base, head, design, verdict } = comparison;
  return factsOf({
    scenario: short(scenario.name),
    base: sideText(base),
    head: sideText(head),
    target: targetText(comparison),
    design: verdict === 'not_comparable' ? null : designText(design),
  });
}

/** Describes a side, its runs and their dates: `v1.5.0, 5 runs, 2026-11-20 02:00 to 02:48 UTC`. */
export function sideText({ label, runs }: Comparison['base']): string {
  const odd = (['degraded', 'invalid'] as const).flatMap((name) => {
    const count = runs.filter(({ validity }) => validity === name).length;
    return count === 0 ? [] : `${formatCount(count)} ${name}`;
  });
  return [
    short(label),
    countOf(runs.length, 'run'),
    spanText(runs.map(({ startedAt }) => startedAt).sort()),
    ...odd,
  ].join(', ');
}

/** Names the target, or both targets if the sides differ. */
export function targetText({ base, head }: Comparison): string {
  const [ofBase, ofHead] = [base, head].map(({ runs }) => {
    const targets = [...new Set(runs.map(({ target }) => target ?? 'embedded reference service'))];
    return targets.length > 2 ? countOf(targets.length, 'service') : targets.map(short).join(' and ');
  });
  return ofBase === ofHead ? String(ofBase) : `${String(ofBase)} (base), ${String(ofHead)} (head)`;
}

/** Describes the unit of observation and the source of the noise estimate. */
export function designText(design: Comparison['design']): string {
  const { unit, base, head, history, assumedNoise, falseDiscoveryRate } = design;
  const observations = {
    pair: countOf(base, 'interleaved pair'),
    run: `${countOf(head, 'run')} against ${formatCount(base)}`,
    sitting: `${countOf(head, 'batch', 'batches')} of runs against ${formatCount(base)}, each averaged`,
  }[unit];
  const source = base === 1 && head === 1 ? 'history only' : 'runs and history';
  const prior = history === null ? 'no history' : `noise from ${source} (${historyText(history)})`;
  const assumed = assumedNoise === null ? '' : `, ${formatMargin(assumedNoise, 'ratio')} of noise assumed`;
  return `${observations}; ${prior}${assumed}; false discovery rate ${String(Number((falseDiscoveryRate * 100).toPrecision(3)))} %`;
}

const historyText = ({ runs, sittings, from, to }: NonNullable<Comparison['design']['history']>): string =>
  `${countOf(runs, 'run')} in ${countOf(sittings, 'batch', 'batches')}, ${spanText([from, to])}`;

function spanText(instants: readonly string[]): string {
  const [first = '', last = ''] = [instants[0] ?? '', instants.at(-1) ?? ''].map(minuteOf);
  if (first === last) return `${first} UTC`;
  const isSameDay = first.slice(0, 10) === last.slice(0, 10);
  return isSameDay ? `${first} to ${last.slice(11)} UTC` : `${first.slice(0, 10)} to ${last.slice(0, 10)}`;
}

const minuteOf = (instant: string): string => clean(instant).slice(0, 16).replace('T', ' ');

/** Formats a difference: `scenario.hash: base 3f2a…, head 9bc1…`. */
export function differenceText({ key, base, head }: Difference): string {
  return `${clean(key)}: ${valuesText(base, head)}`;
}

function valuesText(base: string, head: string): string {
  const [ofBase, ofHead] = distinctNames(clean(base), clean(head));
  return `base ${ofBase || 'none'}, head ${ofHead || 'none'}`;
}

/** Explains a difference, with values but without the name of its field: `the runs used different agents (base a, head b)`. */
function caveatText({ message, base, head }: Difference): string {
  return `${clean(message).replace(/\.$/, '')} (${valuesText(base, head)})`;
}

export function refusalHint({ refusals }: Comparability, force: string): string {
  const forced = `use ${force}; the verdict is then marked as forced.`;
  return refusals.some(({ remedy }) => remedy === null)
    ? `Compare runs with equal values of these fields, or ${forced}`
    : `Or ${forced}`;
}

/** Explains a refusal, with the runs that caused it. */
export function reasonText({ message, runs = [] }: Pick<Refusal, 'message' | 'runs'>): string {
  return runs.length === 0 ? message : `${message}: ${listFirst(runs, maxReasons)}`;
}

const maxReasons = 3;

export function refusalText({ remedy, ...refusal }: Refusal): string {
  const text = `${reasonText(refusal)} (${differenceText(refusal)})`;
  return clean([text, ...(remedy === null ? [] : [remedy])].join('. '));
}

/** Lists differences that may explain a change, and other warnings. */
export function comparisonWarnings({
  comparability,
  warnings,
}: Pick<Comparison, 'comparability' | 'warnings'>): string[] {
  return [...comparability.warnings.map(caveatText), ...warnings];
}

/** Shortens long values so that their first difference stays visible. */
function distinctNames(base: string, head: string): [string, string] {
  let same = 0;
  while (same < base.length && base[same] === head[same]) same++;
  const from = same > 20 && Math.max(base.length, head.length) > maxNameLength ? same - 10 : 0;
  const shown = (text: string): string => `${from > 0 ? '…' : ''}${short(text.slice(from))}`;
  return [shown(base), shown(head)];
}

const maxNameLength = 40;

/** Shortens a name, which may have any length. */
const short = (text: string): string => cut(clean(text), maxNameLength);

/** Explains why a metric is undecided, and the number of runs that would show a change of its margin. */
export function whyText(metric: MetricComparison, design: Comparison['design']): string {
  const { reason, runsNeeded, noise, isNoiseAssumed } = metric;
  const needed = runsNeeded === null ? null : neededText(runsNeeded, metric, design);
  const ways = {
    between_runs: needed === null ? 'more runs help, longer ones do not' : `${needed}; longer runs would not help`,
    within_runs: needed === null ? 'longer or more runs help' : `${needed}, or longer runs`,
  };
  const way = isNoiseAssumed
    ? 'more runs do not help, interleaved ones (chat-load ab) do'
    : noise === null
      ? needed
      : ways[noise];
  return [reason === null ? null : clean(reason), way].filter((part) => part !== null).join('; ');
}

/** Describes the number of runs needed: `12 runs per side would show a change of 5 % (now 5)`. */
function neededText(needed: number, { runs, margin, unit }: MetricComparison, design: Comparison['design']): string {
  const now = design.unit === 'sitting' ? design : runs;
  const counts =
    now.base === now.head ? formatCount(now.base) : `${formatCount(now.base)} and ${formatCount(now.head)}`;
  const observations = {
    pair: countOf(needed, 'pair'),
    run: `${countOf(needed, 'run')} per side`,
    sitting: `${countOf(needed, 'batch', 'batches')} of runs per side`,
  }[design.unit];
  return `${observations} would show a change of ${formatMargin(margin, unit)} (now ${counts})`;
}

/** Describes the result of the second set of runs for each alarm. */
export function confirmationTexts({ confirmation, metrics }: Comparison): string[] {
  return (confirmation?.metrics ?? []).map(({ name, isConfirmed, change, p }) => {
    const unit = metrics.find((metric) => metric.name === name)?.unit ?? 'ms';
    const figures = `${formatChange(change, unit)} in the second set (p ${formatP(p)})`;
    return `${clean(name)} is ${isConfirmed ? '' : 'not '}confirmed: ${figures}`;
  });
}
