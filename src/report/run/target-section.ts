import {
  countOf,
  formatBytes,
  formatCount,
  formatMs,
  formatNumber,
  formatPerSecond,
  formatShare,
} from '../../base/format.ts';
import type { Result } from '../../result/result.ts';
import type { MetricsEndpoint, RequestCheck, TargetMetric } from '../../result/sections/target-metrics.ts';
import { heads, list, painted, table, type OutlineTable } from '../outline/outline.ts';
import type { TimeBlock, Tone } from '../page/page.ts';
import { metricLines, type MetricLine } from './metric-columns.ts';
import { inRun, perRun, type RunSection, type ShownRun } from './shown-run.ts';

const lead =
  'Scraped from the target during the run, including the warm-up. The time axis is shared with the other charts. Counters and histograms are summed over their labels.';

type TargetMetrics = NonNullable<Result['targetMetrics']>;

/** The target's own metrics: the comparison of requests, the charts of a page, and a table. */
export const targetSection: RunSection = (runs) => ({
  page: { id: 'target-metrics', title: "Target's metrics", lead },
  isLoose: true,
  blocks: [{ type: 'made', page: () => metricCharts(runs) }, ...textsAndTable(runs).blocks],
});

const textsAndTable = perRun({}, ({ result: { targetMetrics, environment } }) =>
  targetMetrics === null
    ? []
    : [
        { type: 'heading', text: "Target's metrics", on: ['markdown'] },
        list(checkTexts(targetMetrics, environment?.workers?.some(({ lost }) => lost !== null) === true), {
          first: [painted('requests'), '  '],
        }),
        metricTable(targetMetrics),
      ],
);

/** Describes for each counter whether the target counted as many requests as were sent. `hasLost`: a shard was lost, whose last requests are unknown. */
function checkTexts({ endpoints, requests }: TargetMetrics, hasLost: boolean): string[] {
  const compared = new Set(requests.map(({ counter }) => counter));
  const missing = endpoints.flatMap(({ requests: counter, url, isComplete, withheld, metrics }) => {
    if (withheld !== null) return [withheldText(url, withheld)];
    if (counter === null || compared.has(counter)) return [];
    const found = metrics.find(({ name }) => name === counter);
    const why = isComplete ? whyInexact(found) : 'its first or last scrape failed';
    return [`${counter} of ${url} is not compared with the requests of the run, because ${why}`];
  });
  return [...requests.map((check) => checkText(check, hasLost)), ...new Set(missing)];
}

const withheldText = (url: string, observation: string): string =>
  `all figures of ${url} are withheld, because several processes answer there, each with counters of its own, or one that restarted: ${observation}`;

function whyInexact(found: TargetMetric | undefined): string {
  if (found === undefined) return 'it was not found';
  if (found.resets > 0)
    return 'it was reset during the run, or another process answered, and the requests between its last scrape and that are unknown';
  if (found.vanished > 0)
    return 'a label set of it disappeared during the run, and the requests after its last scrape are unknown';
  return 'a value of it is not a number';
}

function checkText({ counter, counted, sent, notConnected, notOk, endpoints }: RequestCheck, hasLost: boolean): string {
  const at = endpoints > 1 ? ` (${formatCount(endpoints)} endpoints)` : '';
  const start = `the target counted ${countOf(counted, 'request')} (${counter}${at})`;
  if (counted === sent) return `${start}, exactly as many as chat-load sent`;
  if (counted > sent)
    return `${start}, ${formatCount(counted - sent)} more than the ${formatCount(sent)} that chat-load sent: ${hasLost ? 'the last requests of a lost shard, ' : ''}other clients, health checks, retries of a gateway, or another process behind this address`;
  const causes = [
    ...(notConnected === 0 ? [] : [`${countOf(notConnected, 'attempt')} could not connect`]),
    ...(notOk === 0
      ? []
      : [
          `${formatCount(notOk)} others were not ok: they may be lost before they arrived, and many counters count only successes`,
        ]),
    ...(sent - counted <= notConnected + notOk
      ? []
      : ['requests may be counted after the last scrape, or by a replica that is not scraped']),
  ];
  return `${start}, ${formatCount(sent - counted)} fewer than the ${formatCount(sent)} that chat-load sent: ${causes.join('; ')}`;
}

const columns = [
  { head: 'metric', terminal: "TARGET'S METRICS" },
  ...heads('>before', '>after', '>change'),
  { head: 'during the run', min: 16 },
];

function metricTable({ endpoints }: TargetMetrics): OutlineTable {
  const rows = endpoints.flatMap((endpoint) => {
    const isShared = ({ name }: TargetMetric): boolean =>
      endpoints.some((other) => other !== endpoint && other.metrics.some((each) => each.name === name));
    return endpoint.metrics.flatMap((metric) => rowsOf(metric, isShared(metric) ? ` at ${hostOf(endpoint)}` : ''));
  });
  const notes = endpoints.map(({ url, presets, scrapes, failed, unreadable, withheld, metrics }) => {
    const found = presets.length === 0 ? countOf(metrics.length, 'series', 'series') : presets.join(', ');
    if (withheld !== null) return `${url}: withheld`;
    const failures = failed === 0 ? '' : `, ${formatCount(failed)} failed`;
    const omitted = metrics.reduce((sum, each) => sum + each.omitted, 0);
    return `${url}: ${found}, ${countOf(scrapes, 'scrape')}${failures}${unreadable === 0 ? '' : `; ${countOf(unreadable, 'sample')} not readable`}${omitted === 0 ? '' : `; ${countOf(omitted, 'further label set')} not shown`}`;
  });
  return table('Before and after the load', columns, rows, { legend: { text: notes.join('. ') } });
}

function rowsOf(metric: TargetMetric, from: string): string[][] {
  const { name, kind, lines, unit, before, after, increase, resets, vanished, isExact } = metric;
  const number = (value: number | null): string => (value === null ? '-' : formatNumber(value));
  const format = formats[unit];
  if (kind === 'gauge')
    return lines.map((line) => [
      `${name}${line.name === '' || lines.length === 1 ? '' : ` ${line.name}`}${from}`,
      ...['', '', ''],
      `mean ${format(line.mean)}, max ${format(line.max)}`,
    ]);
  const breaks = [
    ...(resets === 0 ? [] : [`${countOf(resets, 'reset')}, or another process`]),
    ...(vanished === 0 ? [] : [`${countOf(vanished, 'label set')} disappeared`]),
  ];
  const during = lines.map((line) =>
    unit === 'perSecond'
      ? format(line.mean)
      : `${line.name} ${format(line.mean)}${unit === 'share' ? `, max ${format(line.max)}` : ''}`,
  );
  const change = increase === null ? '-' : `${isExact ? '' : '≥ '}+${formatNumber(increase)}`;
  const counted = before === null && after === null ? ['', '', ''] : [number(before), number(after), change];
  return [[`${name}${from}`, ...counted, [during.join(', ') || '-', ...breaks].join('; ')]];
}

const orDash =
  (format: (value: number) => string) =>
  (value: number | null): string =>
    value === null ? '-' : format(value);

const formats: Readonly<Record<TargetMetric['unit'], (value: number | null) => string>> = {
  ms: formatMs,
  share: formatShare,
  bytes: orDash(formatBytes),
  count: orDash(formatNumber),
  perSecond: orDash(formatPerSecond),
};

const tones = ['first', 'second', 'third', 'fourth', 'fifth'] as const satisfies readonly Tone[];

/** Maximum number of lines of a chart and a run. */
const maxLines = 10;

/** Builds a chart for the series of one title and unit, with the lines of all runs. */
function metricCharts(runs: readonly ShownRun[]): TimeBlock[] {
  const all = runs.flatMap((run) =>
    metricLines(run.result.targetMetrics)
      .filter(({ column }) => run.timeline.columns[column]?.some((value) => value !== null) === true)
      .map((each) => ({ run, ...each })),
  );
  const keyOf = ({ metric: { title, unit } }: MetricLine): string => `${title} ${unit}`;
  return [...new Set(all.map(keyOf))].flatMap((key, index): TimeBlock[] => {
    const lines = all.filter((each) => keyOf(each) === key);
    const [first] = lines;
    if (first === undefined) return [];
    const { title, unit } = first.metric;
    const names = [...new Set(lines.map(({ metric }) => metric.name))];
    const hosts = new Set(lines.map(({ endpoint }) => hostOf(endpoint))).size;
    return [
      {
        type: 'time',
        form: 'lines',
        id: `target-${String(index + 1)}`,
        title,
        description: `${names.join(', ')}${unit === 'share' ? '' : meanings[first.metric.kind]}.`,
        unit,
        series: runs.flatMap((run) =>
          lines
            .filter((line) => line.run === run)
            .slice(0, maxLines)
            .map((line, at, { length }) => ({
              ...inRun(
                run,
                lineLabel(line, { series: names.length, lines: length, hosts }),
                tones[at % tones.length] ?? 'neutral',
              ),
              run: run.index,
              column: line.column,
            })),
        ),
      },
    ];
  });
}

const meanings: Readonly<Record<TargetMetric['kind'], string>> = {
  gauge: '',
  counter: ': increase per second between two scrapes',
  histogram: ': percentiles between two scrapes, estimated from buckets',
};

/** Names a line of a chart by what distinguishes it: the series, the labels or percentile, the host. */
function lineLabel(
  { endpoint, metric, line }: MetricLine,
  { series, lines, hosts }: { series: number; lines: number; hosts: number },
): string {
  const short = metric.name.replace(/^\w+:/, '');
  const parts = [
    ...(series > 1 || metric.lines.length === 1 ? [short] : []),
    ...(metric.lines.length > 1 || (metric.kind === 'histogram' && lines > 1) ? [line.name] : []),
    ...(hosts > 1 ? [`at ${hostOf(endpoint)}`] : []),
  ];
  return parts.join(' ').slice(0, 80);
}

const hostOf = ({ url }: MetricsEndpoint): string => new URL(url).host;
