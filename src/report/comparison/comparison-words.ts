import type {
  Comparability,
  Comparison,
  Difference,
  MetricComparison,
  Refusal,
} from '../../compare/document/comparison.ts';
import { countOf, formatCount } from '../../base/format.ts';
import { formatChange, formatMargin, formatP } from '../words/format-change.ts';
import { clean } from '../words/paragraph.ts';
import { cut } from '../words/width.ts';

/** The verdict over all, as a headline. */
export const verdictWords: Readonly<Record<Comparison['verdict'], string>> = {
  regressed: 'REGRESSED',
  improved: 'IMPROVED',
  unchanged: 'UNCHANGED',
  inconclusive: 'INCONCLUSIVE',
  not_comparable: 'NOT COMPARABLE',
};

/** The colour of that headline in a terminal. */
export const verdictPaints = {
  regressed: 'red',
  not_comparable: 'red',
  inconclusive: 'yellow',
  improved: 'green',
  unchanged: 'green',
} as const satisfies Record<Comparison['verdict'], string>;

/** What was found, in a sentence or two, without repeating the word of the verdict. */
export function foundText({ verdict, summary, confirmation }: Comparison): string {
  const text = clean(summary);
  const lead = `${verdictWords[verdict]}: `;
  const told = text.toUpperCase().startsWith(lead) ? text.slice(lead.length) : text;
  return confirmation?.verdict === 'confirmed' ? `${told} A second set of runs confirmed it.` : told;
}

/** What was compared with what: `peak, v1.5.0 against v1.4.2`. */
export function opponents({ scenario, base, head }: Opponents): string {
  return `${short(scenario.name)}, ${short(head.label)} against ${short(base.label)}`;
}

interface Opponents {
  scenario: { name: string };
  base: { label: string };
  head: { label: string };
}

/** What stands above the figures: what was compared, and what the verdict rests on. */
export function comparisonFacts(comparison: Comparison): { name: string; text: string }[] {
  const { scenario, base, head, design, verdict } = comparison;
  return [
    { name: 'scenario', text: short(scenario.name) },
    { name: 'base', text: sideText(base) },
    { name: 'head', text: sideText(head) },
    { name: 'target', text: targetText(comparison) },
    ...(verdict === 'not_comparable' ? [] : [{ name: 'design', text: designText(design) }]),
  ];
}

/** A side, its runs and their dates: `v1.5.0, 5 runs, 2026-11-20 02:00 to 02:48 UTC`. */
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

/** What the sides were measured at: once where it was the same. */
export function targetText({ base, head }: Comparison): string {
  const [ofBase, ofHead] = [base, head].map(({ runs }) => {
    const targets = [...new Set(runs.map(({ target }) => target ?? 'embedded reference service'))];
    return targets.length > 2 ? countOf(targets.length, 'service') : targets.map(short).join(' and ');
  });
  return ofBase === ofHead ? String(ofBase) : `${String(ofBase)} (base), ${String(ofHead)} (head)`;
}

/** What the statistics count as one observation, and where they know the noise from. */
export function designText(design: Comparison['design']): string {
  const { unit, base, head, history, assumedNoise, falseDiscoveryRate } = design;
  const observations = {
    pair: countOf(base, 'interleaved pair'),
    run: `${countOf(head, 'run')} against ${formatCount(base)}`,
    sitting: `${countOf(head, 'sitting')} against ${formatCount(base)}, the runs of each taken together`,
  }[unit];
  const source = base === 1 && head === 1 ? 'the history alone' : 'history too';
  const prior = history === null ? 'no history' : `noise known from ${source}, ${historyText(history)}`;
  const assumed = assumedNoise === null ? '' : `, ${formatMargin(assumedNoise, 'ratio')} of noise assumed`;
  return `${observations}; ${prior}${assumed}; ${String(Number((falseDiscoveryRate * 100).toPrecision(3)))} % of alarms may be false`;
}

const historyText = ({ runs, sittings, from, to }: NonNullable<Comparison['design']['history']>): string =>
  `${countOf(runs, 'run')} in ${countOf(sittings, 'sitting')}, ${spanText([from, to])}`;

function spanText(instants: readonly string[]): string {
  const [first = '', last = ''] = [instants[0] ?? '', instants.at(-1) ?? ''].map(minuteOf);
  if (first === last) return `${first} UTC`;
  const isSameDay = first.slice(0, 10) === last.slice(0, 10);
  return isSameDay ? `${first} to ${last.slice(11)} UTC` : `${first.slice(0, 10)} to ${last.slice(0, 10)}`;
}

const minuteOf = (instant: string): string => clean(instant).slice(0, 16).replace('T', ' ');

/** `scenario.hash: base 3f2a…, head 9bc1…`. */
export function differenceText({ key, base, head }: Difference): string {
  return `${clean(key)}: ${valuesText(base, head)}`;
}

function valuesText(base: string, head: string): string {
  const [ofBase, ofHead] = distinctNames(clean(base), clean(head));
  return `base ${ofBase}, head ${ofHead}`;
}

/** What a difference means, with its values but without the name of its field: `the runs used different agents (base a, head b)`. */
function caveatText({ message, base, head }: Difference): string {
  return `${clean(message).replace(/\.$/, '')} (${valuesText(base, head)})`;
}

/** The way to a comparison in spite of what refuses it, after the remedies of single refusals. */
export function refusalWayText({ refusals }: Comparability, force: string): string {
  const forced = `use ${force}: the verdict then says that it was forced.`;
  return refusals.some(({ remedy }) => remedy === null)
    ? `Compare runs that agree in these, or ${forced}`
    : `Or ${forced}`;
}

/** What refuses a comparison, with its values, and what to do about it. */
export function refusalText({ remedy, ...difference }: Refusal): string {
  const text = `${difference.message} (${differenceText(difference)})`;
  return clean([text, ...(remedy === null ? [] : [remedy])].join('. '));
}

/** What differs and may explain a change, and what else a reader should know. */
export function comparisonWarnings({
  comparability,
  warnings,
}: Pick<Comparison, 'comparability' | 'warnings'>): string[] {
  return [...comparability.warnings.map(caveatText), ...warnings];
}

/** Long values are shortened to where they begin to differ, since that is what a reader looks for. */
function distinctNames(base: string, head: string): [string, string] {
  let same = 0;
  while (same < base.length && base[same] === head[same]) same++;
  const from = same > 20 && Math.max(base.length, head.length) > longest ? same - 10 : 0;
  const shown = (text: string): string => `${from > 0 ? '…' : ''}${short(text.slice(from))}`;
  return [shown(base), shown(head)];
}

const longest = 40;

/** Names may be of any length. */
const short = (text: string): string => cut(clean(text), longest);

/** Why a metric is not decided, and what would decide it. */
export function whyText(metric: MetricComparison, design: Comparison['design']): string {
  const { reason, runsNeeded, noise } = metric;
  const needed = runsNeeded === null ? null : neededText(runsNeeded, metric, design);
  const ways = {
    between_runs: needed === null ? 'more runs narrow it, longer ones do not' : `${needed}, longer ones would not`,
    within_runs: needed === null ? 'longer or more runs narrow it' : `${needed}, or longer ones`,
  };
  const way = noise === null ? needed : ways[noise];
  return [reason === null ? null : clean(reason), way].filter((part) => part !== null).join('; ');
}

/** `12 runs a side would decide it (now 5)`. */
function neededText(needed: number, { runs }: MetricComparison, design: Comparison['design']): string {
  const [noun, now] = design.unit === 'sitting' ? ['sitting', design] : ['run', runs];
  const counts =
    now.base === now.head ? formatCount(now.base) : `${formatCount(now.base)} and ${formatCount(now.head)}`;
  return `${countOf(needed, noun)} per side would decide it (now ${counts})`;
}

/** What the fresh set of runs said of each alarm. */
export function confirmationTexts({ confirmation, metrics }: Comparison): string[] {
  return (confirmation?.metrics ?? []).map(({ name, isConfirmed, change, p }) => {
    const unit = metrics.find((metric) => metric.name === name)?.unit ?? 'ms';
    const figures = `${formatChange(change, unit)} in the second set (p ${formatP(p)})`;
    return `${clean(name)} is ${isConfirmed ? '' : 'not '}confirmed: ${figures}`;
  });
}
