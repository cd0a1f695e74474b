import type { Metric } from '../src/result/metrics/metric.ts';
import { metrics } from '../src/result/metrics/metrics.ts';

const statistic = /\.(min|mean|max|p\d+(?:\.\d+)?)$/;

/** The metrics of latency series as a Markdown table: a row a series, with the statistics that it has. */
export function seriesTable(): string {
  const series = new Map<string, Metric[]>();
  for (const metric of metrics.filter(({ name }) => statistic.test(name))) {
    const name = metric.name.replace(statistic, '');
    series.set(name, [...(series.get(name) ?? []), metric]);
  }
  const rows = [...series].map(([name, each]) => {
    const statistics = each.map((metric) => `\`${statistic.exec(metric.name)?.[1] ?? ''}\``).join(' ');
    return `| \`${name}\` | ${each.at(-1)?.meaning.replace(/^\S+ (of|that) /, '') ?? ''} | ${statistics} |`;
  });
  return ['| series | what it holds | statistics |', '|---|---|---|', ...rows].join('\n');
}

/** All other metrics as a Markdown table. */
export function metricTable(): string {
  const rows = metrics
    .filter(({ name }) => !statistic.test(name))
    .map(({ name, unit, meaning }) => `| \`${name}\` | ${unit} | ${meaning} |`);
  return ['| metric | unit | what it is |', '|---|---|---|', ...rows].join('\n');
}
