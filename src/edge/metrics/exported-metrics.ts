import { positions } from '../../record/positions.ts';
import { ends, isSplit, publishedSeries, recordedNames, type SeriesName } from '../../record/series.ts';
import type { Series, SeriesExport } from '../../record/series-table.ts';
import { attemptTable, counterTable } from '../../record/counter-table.ts';
import type { CounterRow } from '../../record/counter-row.ts';
import type { CounterGroup } from '../../record/counters.ts';
import type { Live } from '../../record/live.ts';
import type { Plan } from '../../plan/plan.ts';
import type { PartitionTotals } from '../../record/partition.ts';
import type { RunFacts } from '../../result/sections/run-facts.ts';
import type { Warning } from '../../result/sections/warning.ts';

/** An exported series of durations: one histogram in seconds. */
export interface ExportedSeries extends SeriesExport {
  meaning: string;
  /** Recorded series: a part for every end and position. */
  parts: readonly { recorded: SeriesName; attributes: Readonly<Record<string, string>> }[];
}

/** The target of the load. */
interface ExportedTarget {
  address: string;
  port: number;
  /** Name of its protocol. */
  protocol: string;
}

const ownBoundaries = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

export const exportedSeries: readonly ExportedSeries[] = publishedSeries.map((series: Series) => {
  const { name, holds, from, to, exportAs } = series;
  return {
    ...(exportAs ?? {
      name: `chat_load.${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}.duration`,
      boundaries: ownBoundaries,
    }),
    meaning: `${holds.charAt(0).toUpperCase()}${holds.slice(1)}: from ${from} to ${to}`,
    parts: partsOf(series),
  };
});

function partsOf(series: Series): ExportedSeries['parts'] {
  return (isSplit(series) ? ends : [undefined]).flatMap((end) =>
    recordedNames(series, end).map((recorded, index) => ({
      recorded,
      attributes: {
        ...(end === undefined ? {} : { 'chat_load.status': end }),
        ...(end === 'failed' && series.exportAs !== undefined ? { 'error.type': '_OTHER' } : {}),
        ...(series.isByPosition ? { 'chat_load.turn.position': positions[index] ?? '' } : {}),
      },
    })),
  );
}

/** Returns the common attributes of all values of a series. Series without a convention name no server. */
export function commonAttributes(
  { attributes, protocolAs }: ExportedSeries,
  { address, port, protocol }: ExportedTarget,
): Readonly<Record<string, string | number>> {
  if (attributes === undefined) return {};
  return {
    ...attributes,
    ...(protocolAs === undefined ? {} : { [protocolAs]: protocol }),
    'server.address': address,
    'server.port': port,
  };
}

/** Counters of the recorder as one metric: one number, or several with different values of an attribute. */
export interface ExportedCount {
  name: string;
  /** A UCUM annotation. */
  unit: string;
  meaning: string;
  /** The attribute. */
  by: string | undefined;
  group: CounterGroup;
  /** Counters of the metric, each with the value of the attribute; `undefined`: all of the group. */
  counters: readonly Counter[] | undefined;
}

interface Counter {
  name: string;
  value: string | undefined;
}

/** Costs are kept in billionths. */
export function isCost({ unit }: ExportedCount): boolean {
  return unit === '{currency}';
}

/** Reports whether a metric is exported only if the scenario has `cost` or `prices`. */
export function isOfCosts({ group }: ExportedCount): boolean {
  return group === 'spending' || group === 'unknownCosts';
}

/** The order of the metrics by prefix; metrics with the same prefix keep the order of the table. */
const order = [
  ...['outcomes', 'planned', 'sent', 'carried', 'tool', 'good', 'lost', 'by', 'ok', 're', 'gave'].map(
    (turn) => `turn.${turn}`,
  ),
  ...['attempt', 'creation', 'session', 'stream.shared', 'stream', 'turn', 'history', 'reply', 'integrity', 'spending'],
];

export const exportedCounts: readonly ExportedCount[] = [...countsOfTable(), ...countsByAttempts()].toSorted(
  (one, other) => rankOf(one) - rankOf(other),
);

function rankOf({ name }: ExportedCount): number {
  return order.findIndex((start) => name.startsWith(`chat_load.${start}`));
}

function countsOfTable(): ExportedCount[] {
  const counts = new Map<string, ExportedCount & { counters: Counter[] }>();
  for (const [group, rows] of Object.entries<readonly CounterRow[]>(counterTable))
    for (const [name, metric, unit = '', meaning = '', by, value] of rows) {
      if (metric === undefined) continue;
      const count = counts.get(metric) ?? {
        name: `chat_load.${metric}`,
        unit,
        meaning,
        by,
        group: group as CounterGroup,
        counters: [],
      };
      count.counters.push({ name, value });
      counts.set(metric, count);
    }
  return [...counts.values()];
}

function countsByAttempts(): ExportedCount[] {
  return Object.entries(attemptTable).map(([group, [metric, unit, meaning, by]]) => ({
    name: `chat_load.${metric}`,
    unit,
    meaning,
    by,
    group: group as CounterGroup,
    counters: undefined,
  }));
}

/** Gauges, which rise and fall, and belong to no phase or policy. */
export const exportedGauges = [
  { name: 'chat_load.session.active', unit: '{session}', meaning: 'Live sessions', field: 'sessionsLive' },
  {
    name: 'chat_load.turn.active',
    unit: '{turn}',
    meaning: 'Turns in flight, including backoffs',
    field: 'turnsInFlight',
  },
] as const;

/** A run whose figures are exported while it is in progress. Contains no secret. */
export interface ExportedRun {
  plan: Plan;
  run: Pick<RunFacts, 'id' | 'label' | 'startedAt' | 'toolVersion'>;
  target: ExportedTarget;
  live(): Pick<Live, 'sessionsLive' | 'turnsInFlight'>;
  totals(): readonly PartitionTotals[];
}

/** Exports runs, one after another. */
export interface RunExporter {
  observe(run: ExportedRun): ExportedObservation;
}

interface ExportedObservation {
  /**
   * The run has ended and its figures are final: exports them, and returns a warning if any did not arrive. Never rejects;
   * `hurry` ends any waiting.
   */
  end(hurry: AbortSignal): Promise<Warning[]>;
}
