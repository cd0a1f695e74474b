import type { SeriesName } from '../../../record/series.ts';
import type { Tally } from '../../../record/tally.ts';
import { readGate, type Gate, type Operator } from '../../../result/gates/gates.ts';
import type { MetricPart } from '../../../result/metrics/metric-part.ts';
import type { MetricUnit, Metric } from '../../../result/metrics/metric.ts';
import type { Part } from './player.ts';
import { metricNamed } from '../../../result/metrics/metrics.ts';
import { unknownMetric } from '../../../result/metrics/unknown-metric.ts';

export interface Objective {
  metric: string;
  condition: string;
  unit: MetricUnit;
  operator: Operator;
  limit: number;
  series: readonly SeriesName[];
  /** True for a default limit on failures: a load fails if clearly more fails, but is not required to be shown below it. */
  isGuard: boolean;
  /** The judged part of a whole, and its limit. */
  share: {
    kind: MetricPart['kind'];
    /** Limit of part / whole; for a `count`, of the part. */
    limit: number;
    /** Value of the metric that a share stands for; `null`: it cannot be computed from the share. */
    figureOf: (share: number) => number | null;
    partOf: (tally: Tally) => Part;
  };
}

export function partOf({ share }: Objective, tally: Tally): Part {
  return share.partOf(tally);
}

export function readObjectives(
  texts: readonly string[],
): { objectives: Objective[]; problems?: undefined } | { problems: string[] } {
  const read = texts.map(readObjective);
  const problems = read.flatMap((each) => ('problem' in each ? [each.problem] : []));
  const objectives = read.flatMap((each) => ('problem' in each ? [] : [each]));
  if (texts.length === 0) problems.push(`no objective: state a condition, such as 'turn.p95 < 2s'`);
  problems.push(...problemsOfRepetition(objectives));
  return problems.length > 0 ? { problems } : { objectives };
}

/** Limits used if no objective limits failures: fast failures must not count as good latency. */
const guards = ['turns.failedShare < 5%', 'sessions.createFailedShare < 5%'];

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
  if (metric === undefined) return { problem: `'${text}': ${unknownMetric(name)}` };
  const refused = problemOfObjective(metric);
  if (refused !== undefined) return { problem: `'${text}': ${refused}` };
  const gate = readGate(name, condition);
  if ('problem' in gate) return { problem: gate.problem.replace(/^gate /, 'objective ') };
  return objectiveOf(gate.ok, text);
}

function objectiveOf({ metric, condition, operator, limit }: Gate, text: string): Objective | { problem: string } {
  const { name, unit, worse, part, series = [] } = metric;
  if (part === undefined) throw new Error(`${name} is not an objective`);
  const upwards = operator.startsWith('>');
  if (upwards !== (worse === 'lower')) return { problem: `'${text}': ${wrongWay(name, worse)}` };
  const share = upwards ? restOf(part, limit) : shareOf(part, { limit, operator });
  if (unit === 'ms' && limit <= 0) return { problem: `'${text}': a duration must be above 0` };
  if (!isReachable(share)) return { problem: `'${text}': ${unreachable(name, share.kind, upwards)}` };
  return { metric: name, condition, unit, operator, limit, series, share, isGuard: false };
}

const wrongWay = (name: string, worse: string | null): string =>
  worse === 'lower'
    ? `higher values of ${name} are better: write '${name} > ...'`
    : `higher values of ${name} are worse, so there would be no highest load that meets it: write '${name} < ...'`;

/** Converts a limit: `< 1` of a count breaks at 1, `<= 1` at 2, since counts are whole numbers. */
function shareOf(part: MetricPart, { limit, operator }: Pick<Gate, 'limit' | 'operator'>): Objective['share'] {
  const max = operator === '<' ? Math.ceil(limit) - 1 : Math.floor(limit);
  return {
    kind: part.kind,
    limit: part.kind === 'count' ? max : part.limitOf(limit),
    figureOf: part.kind === 'count' ? (share) => share : (share) => part.figureOf?.(share) ?? null,
    partOf: (tally) => part.read(tally, limit),
  };
}

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

/** No number of turns can show a share of zero: a count can. */
const isReachable = ({ kind, limit }: Objective['share']): boolean =>
  kind === 'count' ? limit >= 0 : limit > 0 && (kind !== 'share' || limit < 1);

function unreachable(name: string, kind: MetricPart['kind'], upwards: boolean): string {
  if (kind === 'count') return `${name} cannot be below 0: write '< 1' to allow none`;
  if (kind === 'events') return `${name} is never below 1: write a limit above it`;
  if (kind === 'mean') return 'a mean must be above 0';
  const counts = `a count such as 'turns.failed < 1' shows that there is none`;
  return upwards
    ? `the limit must be above 0 % and below 100 %: no number of turns proves 100 %, but ${counts} of the opposite`
    : `the limit must be above 0 % and below 100 %: no number of turns proves 0 %, but ${counts}`;
}

function problemsOfRepetition(objectives: readonly Objective[]): string[] {
  const seen = new Set<string>();
  return objectives.flatMap(({ metric }) => {
    const isAgain = seen.has(metric);
    seen.add(metric);
    return isAgain ? [`'${metric}' is limited twice: remove the looser objective`] : [];
  });
}

/** Returns the reason why a metric cannot be an objective, and an alternative; `undefined`: it can. */
function problemOfObjective({ name, unit, worse, part, isKnownAtEnd }: Metric): string | undefined {
  if (/^(lateness|sessionLateness)\./.test(name))
    return `${name} is a delay of the generator, not of the service: a step distorted by it is not evidence anyway`;
  if (unit === 'perSecond')
    return `${name} depends on the load, which the search varies: limit a metric that suffers under load, such as 'turn.p95 < 2s'`;
  if (unit === 'verdict')
    return `${name} describes the measurement, not the service: a step that the generator cannot send is not evidence anyway`;
  if (unit === 'perHour')
    return `${name} needs a long run, and steps are short: set it as a gate in the scenario, and run it for hours at the load that was found`;
  const extreme = /^(.*)\.(min|max)$/.exec(name);
  if (extreme !== null)
    return `${name} is a single value, and depends on the length of a step: use a percentile such as ${String(extreme[1])}.p99`;
  if (isKnownAtEnd) return `${name} is only known after a run has ended: use turns.failedShare or a latency`;
  if (worse === null) return `no value of ${name} is better than another`;
  if (part === undefined)
    return `${name} cannot be counted while a step is running: use a percentile, a mean or a share, such as turn.p95 or turns.failedShare`;
  return undefined;
}
