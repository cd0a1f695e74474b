import { fileURLToPath } from 'node:url';
import type { Finding } from '../finding.ts';
import { findingsTable, truthTable } from '../markdown.ts';
import { holds } from '../finding.ts';
import type { Chapter } from '../chapter.ts';
import { percentileFigures, rowOf, type TruthRow } from '../truth/row.ts';
import { withTarget } from '../with-target.ts';
import { measureInstants } from './instants.ts';
import { play, streamed, wordsOf } from './play.ts';
import type { StreamBench } from './stream-bench.ts';
import { streamTarget, type StreamShape } from './stream-shape.ts';
import type { StreamRecord } from './target.ts';

const steady: StreamShape = { events: 100, firstMs: 200, gapMs: 50, keepsRecords: true };
const crowded: StreamShape = { ...steady, gapMs: 10 };
const replies = 6;
const allowedMs = 1;

/** Compares published stream figures with the target's records, and the send path's times per event. */
export async function measureStreamTruth(bench: StreamBench): Promise<Chapter> {
  const streams = Math.ceil(1000 * bench.scale);
  const rows = [
    ...(await observe(bench, { streams, shape: steady })),
    ...(await observe(bench, { streams, shape: crowded, mayExceedCore: true })),
  ];
  const load = { streams, replies: 3, overMs: steady.gapMs * 100 };
  const ours = await measureInstants('the send path', { shape: steady, load });
  const bare = await measureInstants('a bare socket', { shape: steady, load });
  const findings = [
    ...ours.findings,
    ...bare.findings,
    { what: 'a gap, p99: the send path over a bare socket', value: ours.gapMs - bare.gapMs, unit: 'ms', atMost: 1 },
    {
      what: 'a first token, p99: the send path over a bare socket',
      value: ours.firstMs - bare.firstMs,
      unit: 'ms',
      atMost: 1,
    },
    await blocked(bench, Math.ceil(100 * bench.scale)),
  ];
  const broken = rows.filter(({ verdict }) => verdict === 'broken').length;
  const how =
    'First tokens and gaps published by chat-load, compared with the record that the target keeps of its writes (p50, p90 and p99 at most 1 ms ' +
    'apart). `reported`: not reached, and the run reports it. Below, event by event: the send path of a run alone, and a bare socket that only records instants and whose error is therefore due to this machine.';
  return {
    title: 'Streams: truth',
    text: `${how}\n\n${truthTable(rows)}\n\n${findingsTable(findings)}`,
    broken: broken + findings.filter((finding) => !holds(finding)).length,
  };
}

interface Observed {
  streams: number;
  shape: StreamShape;
  mayExceedCore?: boolean;
}

async function observe({ folder, report }: StreamBench, observed: Observed): Promise<TruthRow[]> {
  const { streams, shape, mayExceedCore = false } = observed;
  return withTarget(streamTarget(shape), async (target) => {
    const { result } = await play({ folder, baseUrl: target.baseUrl, scenario: scenarioOf(streams) });
    const records = (await target.ask('records')) as StreamRecord[];
    const name = `${streams.toLocaleString('en')} streams of ${String(1000 / shape.gapMs)} events/s`;
    const { firstToken, gap } = result.latency;
    const allowed = (): number => allowedMs;
    const figures = [
      ...percentileFigures('firstToken', firstToken, { values: records.map(({ firstMs }) => firstMs), allowed }),
      ...percentileFigures('gap', gap, { values: records.flatMap(({ gapsMs }) => gapsMs), allowed }),
    ].filter(({ figure }) => /p(50|90|99)$/.test(figure));
    report(
      `${name}: ${wordsOf(result)}, generator ${((result.generator?.cpuShare ?? NaN) * 100).toFixed(0)} % of a core`,
    );
    return figures.map((figure) => rowOf(name, result, { ...figure, mayExceedCore }));
  });
}

/** Checks that a run with a blocked event loop is not reported as valid. */
async function blocked({ folder, report }: StreamBench, streams: number): Promise<Finding> {
  return withTarget(streamTarget(steady), async (target) => {
    const preload = fileURLToPath(new URL('block-loop.js', import.meta.url));
    const env = { NODE_OPTIONS: `--import ${preload}` };
    const { result } = await play({ folder, baseUrl: target.baseUrl, scenario: scenarioOf(streams), env });
    report(`blocked for 200 ms of every second: ${wordsOf(result)}`);
    return {
      what: `validity reasons of a run whose generator is blocked for 200 ms of every second (${wordsOf(result)})`,
      value: result.validity.verdict === 'valid' ? 0 : result.validity.reasons.length,
      atLeast: 1,
    };
  });
}

const scenarioOf = (streams: number): string =>
  `name: 'stream-truth', messages: ['Hi'], sessions: ${String(streams * replies)}, turns: 1, retry: 'none', integrity: false,
   ${streamed}, load: { concurrency: ${String(streams)}, rampUp: '5s' }`;
