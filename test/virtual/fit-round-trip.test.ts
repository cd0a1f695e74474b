import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomLogNormal } from 'd3-random';
import { createJiti } from 'jiti';
import { format } from 'prettier';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runScenario } from '../../src/app/library/run-scenario.ts';
import type { Fit } from '../../src/fit/document/fit.ts';
import { fitWorkload } from '../../src/fit/fit-workload.ts';
import { planSession } from '../../src/plan/session-plan.ts';
import { resolveScenario, type ResolvedScenario } from '../../src/plan/resolve-scenario.ts';
import { scenarioSource } from '../../src/report/fit/scenario-source.ts';
import { arrivalOffsets } from '../../src/schedule/arrivals.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { randomOf } from '../../src/base/random.ts';
import { ms } from '../../src/base/time.ts';
import type { TracedSession } from '../../src/trace/trace.ts';
import { root } from '../support/command.ts';
import { drawTrace, traceOf, type DrawnWorkload } from '../support/drawn-trace.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fit-'));
  const exported = (name: string, file: string): string =>
    `export { ${name} } from '${join(root, 'src/scenario', file)}';\n`;
  writeFileSync(
    join(folder, 'chat-load.ts'),
    exported('defineScenario', 'define-scenario.ts') + exported('fromFile', 'from-file.ts'),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const documentOf = (drawn: DrawnWorkload, sessions?: readonly TracedSession[]): Fit => {
  const trace = sessions === undefined ? drawTrace(drawn) : traceOf(sessions);
  const settings = { seed: 1, replyTimeMs: 0 };
  return {
    kind: 'chat-load/fit',
    schemaVersion: 1,
    toolVersion: '0',
    inputs: [
      {
        file: "it's */ a\ntrace.csv",
        holds: 'trace',
        count: trace.count,
        digest: 'x',
        malformedLines: 0,
        firstMalformed: [],
      },
    ],
    ...settings,
    ...fitWorkload({ trace }, settings),
  };
};

async function load(source: string): Promise<Scenario> {
  const file = join(folder, `scenario-${String(Math.random()).slice(2)}.ts`);
  writeFileSync(file, source);
  const jiti = createJiti(import.meta.url, { alias: { 'chat-load': join(folder, 'chat-load.ts') }, fsCache: false });
  return (await jiti.import<{ default: Scenario }>(file)).default;
}

const isAround = (value: number, share: number): unknown =>
  expect.closeTo(value, Math.floor(-Math.log10(2 * value * share)));

/** The sessions that a scenario plans, as a trace: replies take no time. */
function plannedSessions({ plan, script }: ResolvedScenario): TracedSession[] {
  if (plan.load.model !== 'open') throw new Error('the load is not open');
  const offsets: number[] = [];
  for (const offset of arrivalOffsets(plan.load, randomOf(9))) {
    // The last level continues without an end.
    if (offset >= (plan.durationMs ?? 0)) break;
    offsets.push(offset);
  }
  return offsets.map((offset, index) => {
    const session = planSession(script, index + 1);
    let afterMs = 0;
    const turns = Array.from({ length: session.turns }, (_, at) => {
      if (at > 0) afterMs += session.thinkTime(at);
      const inputTokens = Math.round(session.message(at + 1).split(' ').length / 0.75);
      return { afterMs, inputTokens, outputTokens: null, replyMs: null, waitMs: null };
    });
    return { atMs: offset - (offsets[0] ?? 0), turns };
  });
}

const hour = 3_600_000;
const drawn: DrawnWorkload = {
  seed: 5,
  sessions: 8000,
  rate: [
    { startMs: ms(0), endMs: ms(3 * hour), from: 0.1, to: 0.6 },
    { startMs: ms(3 * hour), endMs: ms(8 * hour), from: 0.6, to: 0.05 },
  ],
  arrivals: { kind: 'gamma', burstiness: 0.5 },
  turns: (random) => () => 2 + Math.floor(4 * random()),
  gapMs: (random) => randomLogNormal.source(random)(Math.log(9000), 0.7),
  inputTokens: (random) => randomLogNormal.source(random)(Math.log(60), 0.5),
};

test('a trace of a fitted scenario fits to the same scenario', async () => {
  const first = documentOf(drawn);
  const resolved = resolveScenario(await load(scenarioSource(first)), { flags: {}, environment: {} });
  const second = documentOf(drawn, plannedSessions(resolved));
  for (const fit of [first, second]) {
    expect(fit.arrivals).toMatchObject({ process: 'gamma', rate: { varies: true } });
    expect(fit.arrivals?.burstiness).toBeCloseTo(0.5, 1);
    expect(fit.turns?.distribution).toEqual({ kind: 'uniform', min: 2, max: 5 });
    expect(fit.thinkTime?.distribution).toEqual({
      kind: 'lognormal',
      median: isAround(9000, 0.03),
      sigma: isAround(0.7, 0.03),
    });
    expect(fit.messageLength?.distribution).toEqual({
      kind: 'lognormal',
      median: isAround(60, 0.04),
      sigma: isAround(0.5, 0.05),
    });
    expect([fit.arrivals?.gaps, fit.turns, fit.thinkTime, fit.messageLength].map((each) => each?.poor)).toEqual([
      [],
      [],
      [],
      [],
    ]);
  }
  const levels = ({ arrivals }: Fit): number[] => arrivals?.rate?.perSecond ?? [];
  const [before, behind] = [levels(first), levels(second)];
  expect(second.arrivals?.rate?.binMs).toBe(first.arrivals?.rate?.binMs);
  // A bin of 300 sessions with k 0.5 is known to within 8 %.
  before.slice(0, -1).forEach((rate, index) => expect(Math.abs((behind[index] ?? 0) / rate - 1)).toBeLessThan(0.5));
});

const alike: DrawnWorkload = { seed: 1, sessions: 200, turns: () => () => 3, inputTokens: () => () => 12 };
const kinds: readonly (readonly [string, DrawnWorkload])[] = [
  ['all of it', drawn],
  ['few sessions', { seed: 1, sessions: 20 }],
  ['one session', { seed: 1, sessions: 1 }],
  ['all at one instant', { seed: 1, sessions: 40, clockMs: 1e9 }],
  ['no think time, lengths of one value', { ...alike, gapMs: () => () => 0 }],
  ['think times of one value or none', { ...alike, gapMs: (random) => () => (random() < 0.5 ? 0 : 5000) }],
  ['a timer', { seed: 1, sessions: 300, arrivals: { kind: 'constant' } }],
  [
    'weights, and exponential gaps',
    {
      seed: 1,
      sessions: 3000,
      turns: (random) => () => (random() < 0.4 ? 1 : random() < 0.7 ? 3 : 20 + Math.floor(30 * random())),
      gapMs: (random) => () => -1e-3 * Math.log(1 - random()),
    },
  ],
];

test.each(kinds)(
  'the source of a scenario is formatted, resolves and contains only itself: %s',
  async (_, workload) => {
    const source = scenarioSource(documentOf(workload));
    expect(source).toBe(await format(source, { parser: 'typescript', singleQuote: true, printWidth: 120 }));
    const { plan } = resolveScenario(await load(source), { flags: {}, environment: {} });
    expect(plan.name).toBe('fitted-a-trace');
  },
);

test('it runs against the embedded service', async () => {
  const busy = documentOf({
    ...drawn,
    rate: 60,
    sessions: 110,
    gapMs: (random) => () => 5 + 10 * random(),
  });
  const result = await runScenario(await load(scenarioSource(busy)));
  expect(result.run.status).toBe('completed');
  expect(result.books.sessions.started).toBeGreaterThan(60);
});
