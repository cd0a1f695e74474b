import { exportedCounts, exportedGauges, exportedSeries } from '../src/edge/metrics/exported-metrics.ts';
import { exporterPackages } from '../src/edge/metrics/open-exporters.ts';
import { installLine } from '../src/edge/optional-packages.ts';
import { publishedSeries } from '../src/record/series.ts';
import { metricRules, type MetricRule } from '../src/compare/metrics/metric-rules.ts';
import type { Metric } from '../src/result/metrics/metric.ts';
import { metrics } from '../src/result/metrics/metrics.ts';
import { conditionForms, operators } from '../src/result/gates/gates.ts';

const tableOf = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** Syntax of conditions: the operators, and the limits by unit as a Markdown table. */
export function conditionTable(): string {
  const rows = Object.entries(conditionForms).map(([unit, { form, examples }]) => [
    unit,
    form,
    examples.map(code).join(', '),
  ]);
  return `Operators: ${operators.map(code).join(', ')}.\n\n${tableOf(['unit of the metric', 'limit', 'for example'], rows)}`;
}

const code = (text: string): string => `\`${text}\``;

/** Series of durations as a Markdown table: contents, start and end. */
export function seriesTable(): string {
  return tableOf(
    ['series', 'contents', 'from', 'to'],
    publishedSeries.map(({ name, holds, from, to }) => [`\`${name}\``, holds, from, to]),
  );
}

/** Metrics by series as a Markdown table: one row per series, with its statistics. */
export function statisticTable(): string {
  const series = new Map<string, string[]>();
  for (const { name } of metrics.filter(isOfSeries)) {
    const [, of = '', statistic = ''] = statisticName.exec(name) ?? [];
    series.set(of, [...(series.get(of) ?? []), `\`${statistic}\``]);
  }
  return tableOf(
    ['series', 'statistics'],
    [...series].map(([name, statistics]) => [`\`${name}\``, statistics.join(' ')]),
  );
}

/** All other metrics as a Markdown table: unit, worse direction, meaning. */
export function metricTable(): string {
  return tableOf(
    ['metric', 'unit', 'worse', 'meaning'],
    metrics
      .filter((metric) => !isOfSeries(metric))
      .map(({ name, unit, worse, meaning }) => [`\`${name}\``, unit, worse ?? '', meaning]),
  );
}

/** Metrics of comparisons as a Markdown table: margin, role, source. */
export function comparedTable(): string {
  return tableOf(
    ['metric', 'worse', 'margin', 'role', 'made from'],
    metricRules.map((rule) => [
      `\`${rule.name}\``,
      rule.worse,
      marginOf(rule),
      rule.isGated ? 'decides' : 'for information',
      formulaOf(rule),
    ]),
  );
}

/** Installation of the packages that export metrics, as a Markdown code block. */
export function installBlock(): string {
  return `\`\`\`sh\n${installLine(exporterPackages)}\n\`\`\``;
}

/** Exported metrics as a Markdown table: names, attributes, meaning. */
export function exportedTable(): string {
  return tableOf(
    ['OpenTelemetry', 'Prometheus', 'by', 'meaning'],
    [
      ...exportedSeries.map(({ name, meaning, parts }) =>
        exportedRow({
          name,
          suffix: '_seconds',
          by: Object.keys(parts[0]?.attributes ?? {}),
          meaning,
        }),
      ),
      ...exportedCounts.map(({ name, meaning, by }) =>
        exportedRow({ name, suffix: '_total', by: by === undefined ? [] : [by], meaning }),
      ),
      ...exportedGauges.map(({ name, meaning }) => exportedRow({ name, suffix: '', by: [], meaning })),
    ],
  );
}

const exportedRow = ({
  name,
  suffix,
  by,
  meaning,
}: {
  name: string;
  suffix: string;
  by: readonly string[];
  meaning: string;
}) => [
  `\`${name}\``,
  `\`${name.replaceAll('.', '_')}${suffix}\``,
  by.map((attribute) => `\`${attribute}\``).join(' '),
  meaning,
];

const statisticName = /^(.*)\.(min|mean|max|p\d+(?:\.\d+)?)$/;

const isOfSeries = ({ series }: Metric): boolean => series !== undefined;

/** Formats a margin like `--margin`. */
const marginOf = ({ margin, unit }: MetricRule): string =>
  `${String(Number((margin * 100).toPrecision(6)))}${unit === 'share' ? 'pp' : '%'}`;

function formulaOf({ source }: MetricRule): string {
  switch (source.kind) {
    case 'quantile':
      return `quantile ${String(source.quantile)} of ${source.series}`;
    case 'mean':
      return `mean of ${source.series}`;
    case 'rate':
      return `${source.of} / second`;
    case 'ratio':
      return `${source.of} / ${source.per}`;
    case 'share':
      return `${source.of} / ${source.among}`;
    case 'quotient':
      return `${source.of} / ${source.per}`;
  }
}
