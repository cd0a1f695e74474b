import picocolors from 'picocolors';
import { doubtfulSamples } from '../../test/support/feature-samples.ts';
import { describe, expect, test } from 'vitest';
import { compareRuns, errorOf } from '../../test/support/doubtful-runs.ts';
import { latencyRule, nightly, rateRule } from '../../test/support/sample-nights.ts';
import { finishedRun, resultOf } from '../../test/support/synthetic-result.ts';
import { buildTrend } from '../compare/trend/build-trend.ts';
import { trendDefaults } from '../compare/trend/trend-options.ts';
import type { Result } from '../result/result.ts';
import { formatsOf, kinds, pageOf, renderDocument, type Documents, type Format, type Kind } from './documents.ts';
import { viewRow } from './page/list/view-row.ts';

const style = { colors: picocolors.createColors(false), width: 100 };

async function textOf<Each extends Kind>(
  document: Documents[Each] & { kind: Each },
  format: Format | 'annotations',
): Promise<string> {
  const text =
    format === 'html'
      ? JSON.stringify(await pageOf(document.kind, [document]))
      : await renderDocument<Each>(document, { format, style });
  return (text ?? '').replaceAll('\\', '').replace(/\s+/g, ' ');
}

function doubtfulResult(): Result {
  const result = resultOf(finishedRun());
  const { turn } = result.latency;
  const doubtful = { ...turn, errorMs: errorOf(90), ok: { ...turn.ok, errorMs: errorOf(90) } };
  const gate: Result['gates'][number] = {
    metric: 'turn.p95',
    condition: '< 400ms',
    unit: 'ms',
    limit: 400,
    actual: 412,
    errorMs: 38,
    infinite: false,
    confident: false,
    interval: null,
    verdict: 'fail',
    reason: null,
  };
  return { ...result, gates: [gate], latency: { ...result.latency, turn: doubtful } };
}

const trend = buildTrend({
  runs: nightly(12, (night) => ({ 'rates.turnsPerSecond': 50 + night })).map((run) => ({
    ...run,
    figures: new Map([...run.figures, ['turn.ok.p99', { missing: 'doubtful', detail: 'late', errorMs: 90 }] as const]),
  })),
  rules: [latencyRule, rateRule],
  toolVersion: '0',
  skipped: [],
  warnings: [],
  ...trendDefaults,
});

const result = doubtfulResult();
const comparison = compareRuns({ base: [0.2, 0.2, 0.2], head: [0.2, 8, 0.2] });

/** A figure as a range, such as `~374-412 ms`. */
const marked = /~[\d.]+(?: m?s)?-[\d.]+ m?s/;

/** The mark of a doubtful figure, by kind of document and format. */
const formats: {
  [Each in 'result' | 'comparison' | 'trend']: Partial<Record<Format | 'annotations', RegExp>>;
} = {
  result: {
    terminal: marked,
    html: marked,
    markdown: marked,
    junit: marked,
    annotations: marked,
    csv: /turnOkMeanMs,turnOkMeanErrorMs,.* \d[^ ]*,90,/,
    hlog: /#\[Doubtful: turn\.p95 \(.*\) may be up to 90\.0 ms too high\]/,
    json: /"errorMs": \{[^}]*"p95Ms": 90/,
  },
  comparison: {
    terminal: /turn\.ok\.p50 was omitted in 2 of 6 runs: .*up to 8\.00 ms too high/,
    html: /turn\.ok\.p50 was omitted in 2 of 6 runs: .*up to 8\.00 ms too high/,
    markdown: /turn\.ok\.p50 was omitted in 2 of 6 runs: .*up to 8\.00 ms too high/,
    junit: /omitted: .*up to 8\.00 ms too high/,
    json: /turn\.ok\.p50 was omitted in 2 of 6 runs: .*up to 8\.00 ms too high/,
  },
  trend: {
    terminal: /Doubtful figures omitted, .*turn\.ok\.p99 in 12 of 12 batches of runs \(up to 90\.0 ms too high\)/,
    html: /Doubtful figures omitted, .*turn\.ok\.p99 in 12 of 12 batches of runs \(up to 90\.0 ms too high\)/,
    markdown: /Doubtful figures omitted, .*turn\.ok\.p99 in 12 of 12 batches of runs \(up to 90\.0 ms too high\)/,
    json: /"omitted": \[ \{ "night": 0, "runs": 1, "errorMs": 90 \}/,
  },
};

/** Formats without latencies, and kinds whose documents have no measured latency of a run, each with the reason. */
const without: Record<string, string> = {
  'chat-load/check': 'judges rules',
  'chat-load/plan': 'predicts',
  'chat-load/calibration': 'is the measurement error itself, and a doubtful ceiling is a state of its own',
  'chat-load/dataset': 'describes conversations',
  'chat-load/fit': 'describes recorded traffic',
};

const documents = { result, comparison, trend } as const;

type Row = readonly [document: Documents[Kind], format: Format | 'annotations', shown: RegExp];

/** Marks to find, by document and format, those of features included. */
const rows: readonly Row[] = [
  ...Object.entries(formats).flatMap(([kind, own]) =>
    Object.entries(own).map(([format, shown]): Row => [
      documents[kind as keyof typeof documents],
      format as Format,
      shown,
    ]),
  ),
  ...doubtfulSamples.flatMap(({ document, marks }) =>
    Object.entries(typeof marks === 'string' ? {} : marks).flatMap(([format, mark]): Row[] =>
      typeof mark === 'string' ? [] : [[document as Documents[Kind], format as Format, mark]],
    ),
  ),
];

for (const { document, marks } of doubtfulSamples) {
  if (typeof marks === 'string') without[document.kind] = marks;
  else
    for (const [format, mark] of Object.entries(marks))
      if (typeof mark === 'string') without[`${document.kind.replace('chat-load/', '')} ${format}`] = mark;
}

describe('a doubtful figure', () => {
  test('is shown by every format of every document, or the document has no latency', () => {
    const known = rows.map(([{ kind }, format]) => `${kind.replace('chat-load/', '')} ${format}`);
    const all = kinds()
      .filter((kind) => without[kind] === undefined)
      .flatMap((kind) => formatsOf(kind).map((format) => `${kind.replace('chat-load/', '')} ${format}`))
      .filter((name) => without[name] === undefined);
    expect(all.filter((name) => !known.includes(name))).toEqual([]);
  });

  test.each(rows.map(([document, format, shown]) => ({ kind: document.kind, document, format, shown })))(
    'is shown by $kind as $format',
    async ({ document, format, shown }) => {
      expect(await textOf<Kind>(document, format)).toMatch(shown);
    },
  );

  test('is marked in the list of results and over several runs', async () => {
    const place = { id: '0', folder: 0, file: 'a.json' };
    expect(viewRow(place, result).figures.turn).toMatch(marked);
    expect(JSON.stringify(await pageOf('chat-load/result', [result, result]))).toMatch(marked);
  });
});
