import { isAttributed, unattributedText } from '../sections/model.ts';
import type { Metric } from './metric.ts';

/** Returns a metric of turns and attempts with their model calls: without data while too few calls are attributed. */
export function ofAttributedCalls(metric: Metric): Metric {
  const { read, readInterval, part, comparison, drift } = metric;
  return {
    ...metric,
    read: (result) => {
      const reason = unattributedText(result.model);
      return reason === undefined ? read(result) : { value: null, reason };
    },
    ...(readInterval && {
      readInterval: (result) => {
        const reason = unattributedText(result.model);
        return reason === undefined ? readInterval(result) : { low: null, reason };
      },
    }),
    ...(part && {
      part: {
        ...part,
        read: (tally, limit) => {
          const { calls = 0, unattributed = 0 } = tally.counters.modelCalls ?? {};
          return isAttributed(calls - unattributed, calls) ? part.read(tally, limit) : { part: 0, whole: 0 };
        },
      },
    }),
    ...(comparison && { comparison: { ...comparison, isOfAttributedCalls: true } }),
    ...(drift && { drift: { ...drift, doubtIn: ({ model }) => unattributedText(model) } }),
  };
}
