import type { OperationSnapshot, OperationStats } from '../operation-book.ts';
import { ServiceTimes } from '../service-times.ts';
import type { ServiceStats, StatsSnapshot } from '../stats.ts';

/** The books of a service from those of its processes: counts add up, histograms bucket by bucket. */
export function mergeStats(parts: readonly StatsSnapshot[]): ServiceStats {
  const counts = parts.map(({ messages: _messages, creates: _creates, startedAt: _startedAt, ...rest }) => rest);
  return {
    ...sum(counts),
    // All count from one instant, and were asked one after the other.
    startedAt: parts.map(({ startedAt }) => startedAt).toSorted()[0] ?? '',
    uptimeMs: Math.max(...parts.map(({ uptimeMs }) => uptimeMs)),
    messages: mergeBooks(parts.map(({ messages }) => messages)),
    creates: mergeBooks(parts.map(({ creates }) => creates)),
  };
}

function mergeBooks(parts: readonly OperationSnapshot[]): OperationStats {
  const times = new ServiceTimes();
  for (const part of parts) times.add(part.times);
  const serviceTime = times.figures();
  times.destroy();
  return { ...sum(parts.map(({ times: _times, ...counts }) => counts)), serviceTime };
}

type Counts = { [name: string]: number | Counts };

/** Adds up numbers under the same names, inner ones too. */
function sum<Part extends object>(parts: readonly Part[]): Part {
  return parts.map((part) => part as Counts).reduce(add) as Part;
}

function add(one: Counts, other: Counts): Counts {
  return Object.fromEntries(
    Object.entries(one).map(([name, value]) => {
      const more = other[name] ?? 0;
      return [name, typeof value === 'number' ? value + Number(more) : add(value, more as Counts)];
    }),
  );
}
