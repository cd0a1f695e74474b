import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Result } from '../../src/result/result.ts';
import { percentilesBy } from '../../src/result/sections/latency-summary.ts';
import { median } from '../../src/statistics/averages.ts';
import type { Chapter } from '../chapter.ts';
import { wasDegraded } from './earlier-rules.ts';
import { busy, idle, underCondition, type Condition } from './busy.ts';
import type { OrdinaryBench } from './main.ts';
import type { ErrorRecord, ErrorShape } from './error-target.ts';

interface ErrorCase {
  name: string;
  condition: Condition;
  shape: ErrorShape;
  /** Source text before the scenario, which runs in the generator. */
  before?: string;
}

const veryBusy: Condition = { name: 'two busy processes per core', busyPerCore: 2 };
const streamed: ErrorShape = { medianMs: 100, sigma: 0.2, stream: { events: 6, gapMs: 25, sigma: 0.2 } };

/** Blocks the event loop for 5 % of the time, for 200 ms each, at random instants. */
const stalls =
  'const stall = () => { const end = performance.now() + 200; while (performance.now() < end); soon(); };' +
  'const soon = () => setTimeout(stall, 3800 * 2 * Math.random()).unref(); setTimeout(stall, 4000 * Math.random()).unref();';

const cases: readonly ErrorCase[] = [
  ...[idle, busy, veryBusy].map((condition) => ({ name: condition.name, condition, shape: streamed })),
  { name: 'stalls of 200 ms', condition: idle, shape: streamed, before: stalls },
  {
    name: 'constant replies, stalls of 200 ms',
    condition: idle,
    shape: { medianMs: 200, sigma: 0.001 },
    before: stalls,
  },
  {
    name: 'events come together',
    condition: idle,
    shape: { ...streamed, stream: { events: 6, gapMs: 25, sigma: 0, isTogether: true } },
  },
  { name: 'a new TLS connection per turn', condition: idle, shape: { medianMs: 100, sigma: 0.2, isTls: true } },
];

const keys = ['p50Ms', 'p90Ms', 'p95Ms', 'p99Ms'] as const;
const toleranceMs = 1;
const runsPerCase = 100;
const minWithin = 0.95;
const maxTimesTrue = 3;

interface Compared {
  series: keyof ErrorRecord;
  key: (typeof keys)[number];
  trueMs: number;
  statedMs: number;
}

/** Compares the stated measurement errors with the true ones, by the clock of the target. */
export async function measureErrors({ folder, scale, report }: OrdinaryBench): Promise<Chapter> {
  const runs = Math.max(1, Math.round(runsPerCase * scale));
  const rows: string[] = [];
  let broken = 0;
  for (const each of cases) {
    const compared: Compared[] = [];
    const judged: { isValid: boolean; wasValid: boolean }[] = [];
    for (let run = 0; run < runs; run++) {
      const { result, record } = await underCondition(each.condition, () => observe(each, folder));
      compared.push(...compareErrors(result, record));
      judged.push({ isValid: result.validity.verdict === 'valid', wasValid: !wasDegraded(result) });
    }
    const degraded = judged.filter(({ isValid }) => !isValid).length;
    const earlier = judged.filter(({ wasValid }) => !wasValid).length;
    const shares = `${String(degraded)} of ${String(runs)} (${String(earlier)})`;
    report(
      `${each.name}: ${String(runs)} runs, ${String(degraded)} not valid, ${String(earlier)} by the earlier rules`,
    );
    for (const row of rowsOf(compared)) {
      broken += Number(!row.holds);
      const line = `| ${each.name} | ${row.cells.join(' | ')} | ${shares} |`;
      report(line);
      rows.push(line);
    }
  }
  const how = `Each run lasts 4 s, with up to 50 sessions at a time. The target records its times by its own clock, and runs with real-time priority if the system allows it, so that the noise meets the generator alone. Within: runs whose true error was at most the stated one, or ${String(toleranceMs)} ms. Required: ${String(100 * minWithin)} %, and a median of the stated errors of at most ${String(maxTimesTrue)} times the true one, or ${String(toleranceMs)} ms.`;
  const head =
    '| condition | figure | runs | true error, median | largest | stated error, median | within | verdict | degraded (by the earlier rules) |\n|---|---|---:|---:|---:|---:|---:|---|---:|';
  return { title: 'Ordinary machines: measurement error', text: `${how}\n\n${head}\n${rows.join('\n')}`, broken };
}

function rowsOf(compared: readonly Compared[]): { cells: string[]; holds: boolean }[] {
  const names = [...new Set(compared.map(({ series, key }) => `${series}.${key}`))];
  return names.map((name) => {
    const those = compared.filter(({ series, key }) => `${series}.${key}` === name);
    const within = those.filter(({ trueMs, statedMs }) => Math.abs(trueMs) <= Math.max(toleranceMs, statedMs)).length;
    const [trueMs, statedMs] = [
      median(those.map((each) => Math.abs(each.trueMs))),
      median(those.map((each) => each.statedMs)),
    ];
    const isHonest = within >= minWithin * those.length;
    const isSmall = statedMs <= Math.max(toleranceMs, maxTimesTrue * trueMs);
    const largest = Math.max(...those.map((each) => Math.abs(each.trueMs)));
    const verdict = isHonest && isSmall ? 'holds' : isHonest ? 'too large' : 'too small';
    const ms = (value: number): string => `${value.toFixed(2)} ms`;
    const cells = [
      name.replace('Ms', ''),
      String(those.length),
      ms(trueMs),
      ms(largest),
      ms(statedMs),
      `${String(within)} of ${String(those.length)}`,
      verdict,
    ];
    return { cells, holds: isHonest && isSmall };
  });
}

function compareErrors({ latency }: Result, record: ErrorRecord): Compared[] {
  return (['turn', 'firstToken', 'gap'] as const).flatMap((series) => {
    const values = record[series].toSorted((a, b) => a - b);
    const truth = percentilesBy(values.length, (rank) => values[rank - 1] ?? null);
    return keys.flatMap((key) => {
      const [measured, stated, known] = [latency[series][key], latency[series].errorMs?.[key] ?? null, truth[key]];
      if (measured === null || known === null || stated === null) return [];
      return [{ series, key, trueMs: measured - known, statedMs: stated }];
    });
  });
}

const path = (name: string): string => join(fileURLToPath(new URL('.', import.meta.url)), name);

/** Runs with real-time priority, where the system allows it. */
const atOnce = spawnSync('chrt', ['-f', '50', 'true']).status === 0 ? ['chrt', '-f', '50'] : [];

async function observe(
  { shape, before = '' }: ErrorCase,
  parent: string,
): Promise<{ result: Result; record: ErrorRecord }> {
  const words = [
    ...atOnce,
    process.execPath,
    '--import',
    'jiti/register',
    path('error-target.ts'),
    JSON.stringify(shape),
  ];
  const target = spawn(words[0] ?? '', words.slice(1), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  try {
    const [{ port }] = (await once(target, 'message')) as [{ port: number }];
    const folder = await mkdtemp(join(parent, 'errors-'));
    const result = await run(folder, { shape, before, port });
    target.send('record');
    const [record] = (await once(target, 'message')) as [ErrorRecord];
    await writeFile(join(folder, 'true.json'), JSON.stringify(record));
    return { result, record };
  } finally {
    target.kill();
  }
}

async function run(
  folder: string,
  { shape, before, port }: { shape: ErrorShape; before: string; port: number },
): Promise<Result> {
  const scenario = {
    name: 'errors',
    duration: '4s',
    turns: 4,
    load: { concurrency: shape.isTls === true ? 20 : 50, rampUp: '1s' },
    target: {
      protocol: 'openai-chat',
      // Looking up a name takes time that the target does not see.
      baseUrl: `${shape.isTls === true ? 'https' : 'http'}://127.0.0.1:${String(port)}/v1`,
      agentId: 'm',
      apiKey: 'errors-key',
      stream: shape.stream !== undefined,
      ...(shape.isTls === true && {
        tls: { ca: path('../../test/fixtures/test-only-localhost.cert.pem'), serverName: 'localhost' },
      }),
    },
    messages: ['Hello.'],
    integrity: false,
  };
  const file = join(folder, 'errors.ts');
  await writeFile(
    file,
    `import { defineScenario } from 'chat-load';\n${before}\nexport default defineScenario(${JSON.stringify(scenario)});\n`,
  );
  const child = spawn(
    process.execPath,
    [path('../../dist/cli/main.js'), 'run', file, '--json', '--quiet', '--out', folder],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const printed = await text(child.stdout);
  if (printed === '') throw new Error('the command printed no result');
  return JSON.parse(printed) as Result;
}
