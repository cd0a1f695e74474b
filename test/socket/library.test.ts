import { getEventListeners } from 'node:events';
import { readdir } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import v8 from 'node:v8';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  ChatLoadError,
  compareResults,
  defineScenario,
  judgeResult,
  planScenario,
  readResult,
  renderDocument,
  runScenario,
  type Result,
  type RunOptions,
} from '../../src/index.ts';
import { keepHeapSmall } from '../../src/edge/health/keep-heap-small.ts';
import { makeFolder } from '../support/command.ts';
import { watchHandles } from '../support/open-handles.ts';
import { finishedRun, resultOf } from '../support/synthetic-result.ts';

const short = defineScenario({
  name: 'library',
  sessions: 8,
  turns: 2,
  load: { concurrency: 2 },
  messages: ['Hello'],
  embedded: { latency: { median: '1ms', sigma: 0 } },
});

/** Sessions that last a minute, unless they are stopped. */
const long = defineScenario({
  ...short,
  sessions: 100_000,
  turns: 1,
  duration: '1m',
  gracePeriod: '0s',
  embedded: { latency: { median: '20ms', sigma: 0 } },
});

/** Records changes to the process: listeners added, even briefly, and V8 flags set. */
function watchProcess(): { added: string[]; flags: string[] } {
  const seen = { added: [] as string[], flags: [] as string[] };
  const note = (name: string | symbol): void => void seen.added.push(String(name));
  const emitters = [process, process.stdout, process.stderr, process.stdin];
  for (const emitter of emitters) emitter.on('newListener', note);
  const set = v8.setFlagsFromString.bind(v8);
  v8.setFlagsFromString = (flags) => {
    seen.flags.push(flags);
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const emitter of emitters) emitter.off('newListener', note);
    v8.setFlagsFromString = set;
    syncBuiltinESMExports();
  });
  return seen;
}

const problemOf = (running: Promise<unknown>): Promise<unknown> =>
  running.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

describe('a run of the library', () => {
  test('returns its result, and writes no file', async () => {
    const before = await readdir('.');
    const result = await runScenario(short, { label: 'v2', seed: 7 });
    expect(result.books).toMatchObject({ balanced: true, turns: { ok: 16 } });
    expect(result).toMatchObject({ run: { label: 'v2', status: 'completed' }, scenario: { seed: 7 } });
    expect(await readdir('.')).toEqual(before);
  });

  test('leaves nothing in the process, and changes none of its settings meanwhile', async () => {
    const handles = watchHandles();
    const seen = watchProcess();
    const [drain, cut] = [new AbortController().signal, new AbortController().signal];
    await runScenario(short, { signal: drain, cutSignal: cut, onProgress: () => undefined });
    expect(seen).toEqual({ added: [], flags: [] });
    expect([drain, cut].flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([]);
    expect(await handles.left()).toEqual([]);
    // Self-check: the same watch detects the changes made by the command.
    keepHeapSmall();
    process.once('SIGHUP', () => undefined).removeAllListeners('SIGHUP');
    expect(seen).toEqual({ added: ['SIGHUP'], flags: ['--heap-growing-percent=25'] });
  });

  test('ends on either signal, and reports it', async () => {
    const drain = new AbortController();
    const drained = await runScenario(long, { signal: drain.signal, onProgress: () => drain.abort() });
    expect(drained.run).toMatchObject({ status: 'interrupted', stop: { kind: 'signal' } });
    expect(drained.books.turns.ok).toBeGreaterThan(0);
    const cut = await runScenario(long, { cutSignal: AbortSignal.abort() });
    expect(cut.run.status).toBe('interrupted');
    expect(await judgeResult(cut)).toMatchObject({ passed: false, exitCode: 130 });
  });

  const error = new Error('of the caller');
  const throws = (): never => {
    throw error;
  };
  test.each([
    ['throws', throws],
    ['rejects', () => Promise.reject(error)],
  ])(
    'whose onProgress %s rejects with that error, leaves nothing in the process, and the written result states it',
    async (_, onProgress) => {
      const out = await makeFolder();
      const handles = watchHandles();
      expect(await problemOf(runScenario(long, { onProgress, out }))).toBe(error);
      expect(await handles.left()).toEqual([]);
      const [file = ''] = await readdir(out);
      const { run, books } = await readResult(join(out, file));
      expect(run.status).toBe('stopped');
      expect(run.stop).toMatchObject({ kind: 'caller_error', reason: 'The callback onProgress failed: of the caller' });
      expect(books.balanced).toBe(true);
      expect(await judgeResult(await readResult(join(out, file)))).toMatchObject({ passed: false, exitCode: 2 });
    },
  );

  test('rejects with the error of a promise from onProgress after the run', async () => {
    // Followed as long as the run is in progress.
    const { signal } = new AbortController();
    const isRunning = (): boolean => getEventListeners(signal, 'abort').length > 0;
    const onProgress = async (): Promise<void> => {
      while (isRunning()) await setImmediate();
      throw error;
    };
    const ending = { ...long, duration: '1500ms' } as const;
    expect(await problemOf(runScenario(ending, { signal, onProgress }))).toBe(error);
  });

  test('rejects with the error thrown by a function of the scenario, so that no part of a run passes for one', async () => {
    const broken = defineScenario({
      ...short,
      messages: [
        () => {
          throw new Error('no such customer');
        },
      ],
    });
    expect(await problemOf(runScenario(broken))).toMatchObject({
      code: 'usage',
      message: expect.stringContaining('no such customer') as string,
    });
  });

  test('writes its result only to `out`', async () => {
    const out = join(await makeFolder(), 'results');
    const result = await runScenario(short, { out, journal: true });
    const files = await readdir(out);
    expect(files).toEqual([expect.stringMatching(/^library-.*\.json$/)]);
    expect(await readResult(join(out, files[0] ?? ''))).toEqual(result);
  });
});

describe('the settings of the library', () => {
  test('override the scenario, and the environment does not', async () => {
    process.env['CHAT_LOAD_SESSIONS'] = '3';
    onTestFinished(() => {
      delete process.env['CHAT_LOAD_SESSIONS'];
    });
    expect((await planScenario(short)).plan.sessions).toBe(8);
    const { plan } = await planScenario(short, { overrides: { concurrency: 4, maxTurns: 5 } });
    expect([plan.sessions, plan.load.segments[0]?.to, plan.maxTurns]).toEqual([8, 4, 5]);
  });

  test.each<[object, string]>([
    [{ baseUrl: undefined }, 'baseUrl is present but empty'],
    [{ baseUrl: '' }, 'baseUrl is present but empty'],
    [{ overrides: { concurency: 4 } }, "did you mean 'concurrency'"],
    [
      { baseUrl: 'https://a.example', apiKey: 'sk-1', overrides: { agentId: 'a' } },
      'a.example is neither this machine',
    ],
    [{ baseUrl: 'https://a.example' }, 'target.apiKey'],
    [{ journal: true }, 'journal needs a folder'],
    [{ signal: {} }, 'signal: expected an AbortSignal'],
    [{ cutSignal: new AbortController() }, 'cutSignal: expected an AbortSignal'],
    [{ onProgres: () => undefined }, "unknown key 'onProgres': did you mean 'onProgress'?"],
    [{ onWarning: 'print' }, 'onWarning: expected a function'],
    [{ seed: '7', out: 3 }, 'out: expected type string, got number'],
    [{ allowHosts: 'a.example' }, 'allowHosts: expected type array, got string'],
  ])('reject %j before anything is sent', async (settings, problem) => {
    const error = await problemOf(runScenario(short, settings as RunOptions));
    expect(error).toBeInstanceOf(ChatLoadError);
    expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining(problem) as string });
  });

  test('of a plan accept durations as the command does', async () => {
    const [text, figure] = [{ replyTime: '2s' }, { replyTime: 2000 }] as const;
    const { forecast } = await planScenario(short, text);
    expect((await planScenario(short, figure)).forecast).toEqual(forecast);
    expect((await planScenario(short)).forecast).not.toEqual(forecast);
  });

  test('of a plan are checked for unknown names too', async () => {
    const error = await problemOf(planScenario(short, { previews: 1 } as object));
    expect(error).toMatchObject({
      code: 'usage',
      message: expect.stringContaining("did you mean 'preview'") as string,
    });
  });
});

test.each([[{}], [null], ['results/a.json'], [{ kind: 'chat-load/comparison' }]])(
  'no judgement is returned for %j, which is not a result',
  async (given) => {
    const error = await problemOf(judgeResult(given as Result));
    expect(error).toBeInstanceOf(ChatLoadError);
    expect(error).toMatchObject({ message: expect.stringMatching(/^The document given to judgeResult is /) as string });
  },
);

describe('a comparison of the library', () => {
  const result = resultOf(finishedRun());

  test('is made of unchanged results', async () => {
    const comparison = await compareResults({ base: [result], head: [result], headLabel: 'v2', force: true });
    expect(comparison).toMatchObject({ kind: 'chat-load/comparison', base: { runs: [{ file: null }] } });
    expect(comparison.head.label).toBe('v2');
  });

  test.each<[object, string]>([
    [{ base: [] }, 'no result on the base side'],
    [{ margins: { 'turn.ok.p98': 0.1 } }, "did you mean 'turn.ok.p9"],
    [{ margins: { 'turn.ok.p99': NaN } }, 'takes a share'],
    [{ falseDiscoveryRate: 0 }, 'falseDiscoveryRate takes a share'],
    [{ assumedNoise: 2 }, 'assumedNoise takes a share'],
    [{ assumedNoise: '200%' }, 'assumedNoise takes a share'],
    [{ assumedNoise: '5' }, "assumedNoise: expected a share such as 0.15 or '15%'"],
    [{ margins: { 'turn.ok.p99': '2pp' } }, "takes a share, or text such as '15%', not 2pp"],
    [{ margins: { 'turns.failedShare': '2%' } }, "takes a share, or text such as '15pp', not 2%"],
    [{ head: ['no-such-file.json'] }, 'no-such-file.json'],
    [{ head: [{}] }, 'A document of the head side is not a result of chat-load'],
    [{ head: 'results' }, 'head: expected type array, got string'],
    [{ heads: [] }, "did you mean 'head'"],
  ])('refuses %j', async (options, problem) => {
    const error = await problemOf(compareResults({ base: [result], head: [result], ...options }));
    expect(error).toBeInstanceOf(ChatLoadError);
    expect(error).toMatchObject({ message: expect.stringContaining(problem) as string });
  });
});

test('margins and noise are taken as the command takes them', async () => {
  const sides = { base: [resultOf(finishedRun())], head: [resultOf(finishedRun())], force: true };
  const texts = { margins: { 'turn.ok.p99': '30%', 'turns.failedShare': '0.5pp' }, assumedNoise: '8%' } as const;
  const figures = { margins: { 'turn.ok.p99': 0.3, 'turns.failedShare': 0.005 }, assumedNoise: 0.08 };
  const comparison = await compareResults({ ...sides, ...texts });
  expect(comparison).toEqual(await compareResults({ ...sides, ...figures }));
  expect(comparison).not.toEqual(await compareResults(sides));
});

describe('a document of the library is rendered', () => {
  const result = resultOf(finishedRun());

  test('as by the command', async () => {
    expect(await renderDocument(result)).toContain('synthetic: completed');
    expect(JSON.parse(await renderDocument(result, { format: 'json' }))).toEqual(JSON.parse(JSON.stringify(result)));
    expect(await renderDocument(result, { format: 'html' })).toMatch(/^<!doctype html>/i);
    expect(await renderDocument(await planScenario(short))).toContain('library');
  });

  test('in the requested columns', async () => {
    const widest = (text: string): number => Math.max(...text.split('\n').map(({ length }) => length));
    const [narrow, wide] = [await renderDocument(result, { width: 60 }), await renderDocument(result, { width: 120 })];
    expect(widest(narrow)).toBeLessThan(widest(wide));
  });

  test.each<[unknown, object, string]>([
    [{}, {}, 'The document given to renderDocument is not a result'],
    [null, {}, 'The document given to renderDocument is not a result'],
    [result, { format: 'pdf' }, 'format: '],
    [result, { width: 0 }, 'width: '],
    [result, { formats: 'html' }, "did you mean 'format'"],
  ])('only if it is one: %j with %j is rejected', async (document, options, problem) => {
    const error = await problemOf(renderDocument(document as Result, options));
    expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining(problem) as string });
  });

  test('only in a format that it has', async () => {
    const plan = await planScenario(short);
    expect(await problemOf(renderDocument(plan, { format: 'junit' }))).toMatchObject({
      message: 'The document given to renderDocument is a plan, which has no format junit.',
    });
  });
});
