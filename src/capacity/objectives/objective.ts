import type { SeriesName } from '../../record/series.ts';
import type { Tally } from '../../record/tally.ts';
import { readGate, type Gate, type Operator } from '../../result/gates/gates.ts';
import type { MetricPart } from '../../result/metrics/metric-part.ts';
import type { MetricUnit, Metric } from '../../result/metrics/metric.ts';
import type { Part } from '../player.ts';
import { unknownName } from '../../base/unknown-name.ts';
import { metricNamed, metricNames } from '../../result/metrics/metrics.ts';

/** What has to hold under a load: `turn.p95 < 2s`. */
export interface Objective {
  metric: string;
  /** As it was written, without the metric. */
  condition: string;
  unit: MetricUnit;
  operator: Operator;
  /** In the unit. */
  limit: number;
  /** What is read of a run; none: counts alone. */
  series: readonly SeriesName[];
  /** Nobody asked for it: a load breaks where clearly more fails than this, and need not be shown to hold by it. */
  isGuard: boolean;
  /** What is judged: a part of a whole, and where it breaks. */
  share: {
    kind: MetricPart['kind'];
    /** Of part / whole; of a `count`: of the part. */
    limit: number;
    /** The figure in the unit that a share stands for; `null`: the share does not give it. */
    figureOf: (share: number) => number | null;
    partOf: (tally: Tally) => Part;
  };
}

/** What a stretch of a run says of an objective. */
export function partOf({ share }: Objective, tally: Tally): Part {
  return share.partOf(tally);
}

/** Reads objectives, such as `turn.p95 < 2s`, or says what is wrong with each that is none. */
export function readObjectives(
  texts: readonly string[],
): { objectives: Objective[]; problems?: undefined } | { problems: string[] } {
  const read = texts.map(readObjective);
  const problems = read.flatMap((each) => ('problem' in each ? [each.problem] : []));
  const objectives = read.flatMap((each) => ('problem' in each ? [] : [each]));
  if (texts.length === 0) problems.push(`no objective: say what has to hold, such as 'turn.p95 < 2s'`);
  problems.push(...problemsOfRepetition(objectives));
  return problems.length > 0 ? { problems } : { objectives };
}

/** Where no objective limits failures: fast failures are no good latency. */
const guards = ['turns.failedShare < 5%', 'sessions.createFailedShare < 5%'];

/** The objectives, and guards against failures that none of them limits. */
export function withGuards(objectives: readonly Objective[]): Objective[] {
  const isLimited = objectives.some(({ metric }) => /fail|okshare/i.test(metric) && !metric.startsWith('integrity.'));
  const read = isLimited ? { objectives: [] } : readObjectives(guards);
  if (read.problems !== undefined) throw new Error(read.problems.join('; '));
  return [...objectives, ...read.objectives.map((guard) => ({ ...guard, isGuard: true }))];
}

function readObjective(text: string): Objective | { problem: string } {
  const [, name, condition] = /^\s*([^\s<>=]+)\s*([<>=].*?)\s*$/.exec(text) ?? [];
  if (name === undefined || condition === undefined)
    return { problem: `'${text}': expected a metric and its limit, such as 'turn.p95 < 2s'` };
  const metric = metricNamed(name);
  if (metric === undefined) return { problem: `'${text}': ${unknownName('metric', name, metricNames)}` };
  const refused = problemOfObjective(metric);
  if (refused !== undefined) return { problem: `'${text}': ${refused}` };
  const gate = readGate(name, condition);
  if ('problem' in gate) return { problem: gate.problem.replace(/^gate /, 'objective ') };
  return objectiveOf(gate.ok, text);
}

function objectiveOf({ metric, condition, operator, limit }: Gate, text: string): Objective | { problem: string } {
  const { name, unit, worse, part, series = [] } = metric;
  if (part === undefined) throw new Error(`${name} is no objective`);
  const upwards = operator.startsWith('>');
  if (upwards !== (worse === 'lower')) return { problem: `'${text}': ${wrongWay(name, worse)}` };
  const share = upwards ? restOf(part, limit) : shareOf(part, { limit, operator });
  if (unit === 'ms' && limit <= 0) return { problem: `'${text}': a duration is above 0: write a longer one` };
  if (!isReachable(share)) return { problem: `'${text}': ${unreachable(name, share.kind, upwards)}` };
  return { metric: name, condition, unit, operator, limit, series, share, isGuard: false };
}

const wrongWay = (name: string, worse: string | null): string =>
  worse === 'lower'
    ? `more of ${name} is better: write '${name} > ...'`
    : `more of ${name} is worse, so that a load that suffices for it would have no end: write '${name} < ...'`;

/** `< 1` of a count breaks at 1, `<= 1` at 2: counts are whole. */
function shareOf(part: MetricPart, { limit, operator }: Pick<Gate, 'limit' | 'operator'>): Objective['share'] {
  const max = operator === '<' ? Math.ceil(limit) - 1 : Math.floor(limit);
  return {
    kind: part.kind,
    limit: part.kind === 'count' ? max : part.limitOf(limit),
    figureOf: part.kind === 'count' ? (share) => share : (share) => part.figureOf?.(share) ?? null,
    partOf: (tally) => part.read(tally, limit),
  };
}

/** Of what should be many, the few others are judged. */
function restOf(part: MetricPart, limit: number): Objective['share'] {
  return {
    kind: part.kind,
    limit: 1 - part.limitOf(limit),
    figureOf: (share) => 1 - share,
    partOf: (tally) => {
      const { part: well, whole } = part.read(tally, limit);
      return { part: whole - well, whole };
    },
  };
}

/** A share of nothing can be shown by no number of turns: that is a count's business. */
const isReachable = ({ kind, limit }: Objective['share']): boolean =>
  kind === 'count' ? limit >= 0 : limit > 0 && (kind !== 'share' || limit < 1);

function unreachable(name: string, kind: MetricPart['kind'], upwards: boolean): string {
  if (kind === 'count') return `${name} is 0 at the least: write '< 1' where none is allowed`;
  if (kind === 'events') return `${name} is never below 1: write a limit above it`;
  if (kind === 'mean') return 'a duration is above 0: write a longer one';
  const counts = `a count such as 'turns.failed < 1' shows that none is`;
  return upwards
    ? `the limit must be above 0 % and below 100 %: no number of turns shows that all are, but ${counts} otherwise`
    : `the limit must be above 0 % and below 100 %: no number of turns shows a share of nothing, but ${counts}`;
}

function problemsOfRepetition(objectives: readonly Objective[]): string[] {
  const seen = new Set<string>();
  return objectives.flatMap(({ metric }) => {
    const isAgain = seen.has(metric);
    seen.add(metric);
    return isAgain ? [`'${metric}' is limited twice: leave the looser objective out`] : [];
  });
}

/** Why a metric cannot be an objective, and what would do instead; `undefined`: it can. */
function problemOfObjective({ name, unit, worse, part, isKnownAtEnd }: Metric): string | undefined {
  if (isOfGenerator(name))
    return `${name} is a delay of the generator, no figure of the service: a step that it spoils is no evidence anyway`;
  if (unit === 'perSecond')
    return `${name} rises and falls with the load that the search sets: limit what suffers under it, such as 'turn.p95 < 2s'`;
  if (unit === 'verdict')
    return `${name} is of the measurement, not of the service: a step that the generator cannot carry is no evidence anyway`;
  if (unit === 'perHour')
    return `${name} takes a long run, and steps are short: give the scenario that gate, and run it for hours at the load that was found`;
  const extreme = /^(.*)\.(min|max)$/.exec(name);
  if (extreme !== null)
    return `${name} is a single value, and moves with the length of a step: use a percentile such as ${String(extreme[1])}.p99`;
  if (isKnownAtEnd) return `${name} is known only when a run has ended: use turns.failedShare, or a latency`;
  if (worse === null) return `no value of ${name} is better than another`;
  if (part === undefined)
    return `${name} is no part of a whole that grows while a step goes on: use a percentile, a mean or a share, such as turn.p95 or turns.failedShare`;
  return undefined;
}

const isOfGenerator = (name: string): boolean => /^(lateness|sessionLateness)\./.test(name);
