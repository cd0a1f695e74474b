import { exportedCounts, exportedLevels, exportedSeries } from '../src/edge/metrics/exported-metrics.ts';
import { exporterPackages } from '../src/edge/metrics/open-exporters.ts';
import { installLine } from '../src/edge/optional-packages.ts';
import { publishedSeries } from '../src/record/series.ts';
import { metricRules, type MetricRule } from '../src/compare/metrics/metric-rules.ts';
import type { Metric } from '../src/result/metrics/metric.ts';
import { metrics } from '../src/result/metrics/metrics.ts';
import { conditionForms, operators } from '../src/result/gates/gates.ts';

const tableOf = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** How a condition is written: the operators, and as a Markdown table what may follow by the unit of the metric. */
export function conditionTable(): string {
  const rows = Object.entries(conditionForms).map(([unit, { form, examples }]) => [
    unit,
    form,
    examples.map(code).join(', '),
  ]);
  return `Operators: ${operators.map(code).join(', ')}.\n\n${tableOf(['unit of the metric', 'limit', 'for example'], rows)}`;
}

const code = (text: string): string => `\`${text}\``;

/** The series of durations as a Markdown table: what has a value in each, and from where to where it is measured. */
export function seriesTable(): string {
  return tableOf(
    ['series', 'contents', 'from', 'to'],
    publishedSeries.map(({ name, holds, from, to }) => [`\`${name}\``, holds, from, to]),
  );
}

/** The metrics of a series, or of a part of it, as a Markdown table: a row each, with its statistics. */
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

/** All other metrics as a Markdown table: unit, which way is worse, what they are. */
export function metricTable(): string {
  return tableOf(
    ['metric', 'unit', 'worse', 'meaning'],
    metrics
      .filter((metric) => !isOfSeries(metric))
      .map(({ name, unit, worse, meaning }) => [`\`${name}\``, unit, worse ?? '', meaning]),
  );
}

/** What releases are compared by, as a Markdown table: the least change that matters, whether it decides, how it is made. */
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

/** How the packages are installed that export metrics, as a block of a Markdown page. */
export function installBlock(): string {
  return `\`\`\`sh\n${installLine(exporterPackages)}\n\`\`\``;
}

/** What is exported while a run goes on, as a Markdown table: its names, what tells its values apart, meaning. */
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
      ...exportedLevels.map(({ name, meaning }) => exportedRow({ name, suffix: '', by: [], meaning })),
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

/** As `--margin` takes it. */
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
  }
}
