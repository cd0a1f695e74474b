import type { OperationSnapshot, OperationStats } from '../books/operation-book.ts';
import { ServiceTimes, type ServiceTimeFigures, type ServiceTimesSnapshot } from '../books/service-times.ts';
import type { ServiceStats, StatsSnapshot } from '../exchange/stats.ts';
import type { StreamSnapshot, StreamStats } from '../books/stream-book.ts';

/** The books of a service from those of its processes: counts add up, histograms bucket by bucket. */
export function mergeStats(parts: readonly StatsSnapshot[]): ServiceStats {
  const counts = parts.map((part) => part.counts);
  return {
    ...sum(counts),
    // All count from one instant, and were asked one after the other.
    uptimeMs: Math.max(...counts.map(({ uptimeMs }) => uptimeMs)),
    messages: mergeBooks(parts.map(({ messages }) => messages)),
    creates: mergeBooks(parts.map(({ creates }) => creates)),
    streams: mergeStreams(parts.map(({ streams }) => streams)),
  };
}

function mergeBooks(parts: readonly OperationSnapshot[]): OperationStats {
  return { ...sum(parts.map(({ counts }) => counts)), serviceTime: mergeTimes(parts.map(({ times }) => times)) };
}

function mergeStreams(parts: readonly StreamSnapshot[]): StreamStats {
  return {
    ...sum(parts.map(({ counts }) => counts)),
    firstToken: mergeTimes(parts.map(({ firstToken }) => firstToken)),
    gap: mergeTimes(parts.map(({ gap }) => gap)),
  };
}

function mergeTimes(parts: readonly ServiceTimesSnapshot[]): ServiceTimeFigures {
  const times = new ServiceTimes();
  for (const part of parts) times.add(part);
  const figures = times.figures();
  times.destroy();
  return figures;
}

interface Counts {
  [name: string]: string | number | Counts;
}

/** Adds up the numbers under the same names, inner ones too; of a text, the first stands for all. */
function sum<Part extends object>(parts: readonly Part[]): Part {
  return parts.map((part) => part as Counts).reduce(add) as Part;
}

function add(one: Counts, other: Counts): Counts {
  return Object.fromEntries(Object.entries(one).map(([name, value]) => [name, addValue(value, other[name])]));
}

function addValue(one: Counts[string], other: Counts[string] | undefined): Counts[string] {
  if (typeof one === 'number') return one + Number(other);
  return typeof one === 'object' && typeof other === 'object' ? add(one, other) : one;
}
