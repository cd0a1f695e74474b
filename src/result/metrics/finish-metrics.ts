import { shareOf } from '../../base/field.ts';
import { finishes, type Finish } from '../../protocol/finish.ts';
import type { Counters } from '../../record/counters.ts';
import { sharePart } from './metric-part.ts';
import type { Metric, Published } from './metric.ts';

const texts: Readonly<Record<Finish, string>> = {
  complete: 'ended by itself',
  length: 'was cut off at a limit of tokens',
  filtered: 'was filtered or refused',
  tool: 'ended with a tool call',
  other: 'ended for another reason',
  none: 'states no end',
};

/** Ends with which a person does not get the whole answer. */
const incomplete: readonly Finish[] = ['length', 'filtered'];

/** Shares of ok turns by the end of their reply, and of those with an empty one. */
export const finishMetrics: readonly Metric[] = [
  ofOkTurns('turns.emptyShare', 'has neither text nor a tool call', {
    read: ({ outcomes }) => outcomes.empty,
    count: ({ replyEnds }) => replyEnds.empty,
    compared: 'turns.empty',
  }),
  ...finishes.map((finish) =>
    ofOkTurns(`finish.${finish}Share`, texts[finish], {
      read: ({ outcomes }) => outcomes.finish[finish],
      count: ({ replyEnds }) => replyEnds[finish],
      ...(incomplete.includes(finish) && { compared: `finish.${finish}` }),
    }),
  ),
];

interface Counted {
  read: (result: Published) => number;
  count: (counters: Counters) => number;
  /** Name of the count in comparisons; omitted: it is not compared. */
  compared?: string;
}

function ofOkTurns(name: string, what: string, { read, count, compared }: Counted): Metric {
  return {
    name,
    unit: 'share',
    worse: compared === undefined ? null : 'higher',
    meaning: `share of ok turns whose reply ${what}`,
    part: sharePart((counters) => [count(counters), counters.turns.ok]),
    ...(compared !== undefined && {
      comparison: { source: { kind: 'share', of: compared, among: 'turns.ok' }, margin: 0.01, isOfTotals: true },
    }),
    read: (result) => {
      const value = shareOf(read(result), result.outcomes.turns.ok);
      return value === null ? { value, reason: 'no samples' } : { value };
    },
  };
}
