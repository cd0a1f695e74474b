import { isObject } from '../../base/is-object.ts';
import { mergeTimes, type ServiceTimesSnapshot } from '../books/service-times.ts';
import type { ServiceStats, StatsSnapshot } from '../exchange/stats.ts';

/** Merges the statistics of the processes of a service: counts add up, histograms bucket by bucket. */
export function mergeStats(parts: readonly StatsSnapshot[]): ServiceStats {
  // All count from one instant, and were queried one after the other.
  return { ...(merge(parts) as ServiceStats), uptimeMs: Math.max(...parts.map(({ uptimeMs }) => uptimeMs)) };
}

/** Merges values under the same name; the first of several texts represents all. */
function merge(parts: readonly unknown[]): unknown {
  const [first] = parts;
  if (typeof first === 'number') return parts.reduce<number>((sum, part) => sum + Number(part), 0);
  if (!isObject(first)) return first;
  if ('hdr' in first) return mergeTimes(parts as readonly ServiceTimesSnapshot[]);
  const objects = parts.filter(isObject);
  return Object.fromEntries(Object.keys(first).map((name) => [name, merge(objects.map((part) => part[name]))]));
}
