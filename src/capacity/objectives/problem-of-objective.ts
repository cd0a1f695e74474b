import type { Metric } from '../../result/metrics/metric.ts';

/** Why a metric cannot be an objective, and what would do instead; `undefined`: it can. */
export function problemOfObjective({ name, unit, worse, part, isKnownAtEnd }: Metric): string | undefined {
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
