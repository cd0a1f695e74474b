import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../finding.ts';
import { watchUsage } from '../measure.ts';
import { startPinned } from '../pinned.ts';
import { withTarget } from '../with-target.ts';
import { play, streamed } from './play.ts';
import { findRival, makeTokenizer, rivals, type Rival } from './rivals.ts';
import type { StreamBench } from './stream-bench.ts';
import { flatOut, streamTarget } from './stream-shape.ts';
import type { StreamSpan } from './target.ts';

/** One run of a generator, with its target's observations. */
interface Taken {
  /** CPU time of the whole process tree, from start to end. */
  cpuMs: number;
  /** Reported mean time to first token. */
  saidMs: number;
}
type Go = (baseUrl: string, requests: number) => Promise<Taken>;

const fewRequests = 32;

/** Measures the cost of a turn in AIPerf and GuideLLM on one core, and their reported times to first token; empty if neither is installed. */
export async function measureStreamPeers(bench: StreamBench): Promise<Finding[]> {
  const present = rivals.filter((rival) => findRival(rival) !== undefined);
  for (const { name } of rivals.filter((rival) => !present.includes(rival)))
    bench.report(`${name} is not measured: none of the folders in CHAT_LOAD_PEERS has it.`);
  if (present.length === 0) return [];
  const requests = Math.max(2 * fewRequests, Math.ceil(5000 * bench.scale));
  const ours = await measureBoth('chat-load', { requests, go: goOurs(bench) });
  const findings = [...ours.findings];
  for (const rival of present) {
    const theirs = await measureBoth(rival.name, { requests, go: goRival(bench, rival) });
    findings.push(
      ...theirs.findings,
      { what: `CPU per turn, chat-load over ${rival.name}, start included`, value: ours.wholeMs / theirs.wholeMs },
      { what: `the same without start and end`, value: ours.steadyMs / theirs.steadyMs, atMost: 0.05 },
    );
    for (const { what, value } of findings.slice(-7)) bench.report(`${what}: ${value.toFixed(3)}`);
  }
  return findings;
}

interface Measured {
  /** CPU time per turn, with start and end, and without them (a short run is subtracted). */
  wholeMs: number;
  steadyMs: number;
  findings: Finding[];
}

async function measureBoth(name: string, { requests, go }: { requests: number; go: Go }): Promise<Measured> {
  const few = await measureRun(go, fewRequests);
  const many = await measureRun(go, requests);
  const wholeMs = many.cpuMs / many.turns;
  const steadyMs = (many.cpuMs - few.cpuMs) / (many.turns - few.turns);
  const findings = [
    { what: `CPU per turn, ${name}, start included (${String(many.turns)} turns)`, value: wholeMs, unit: 'ms' },
    { what: `CPU per turn, ${name}, without start and end`, value: steadyMs, unit: 'ms' },
    { what: `turns/s, ${name}, from the first request to the last reply`, value: many.perSecond },
    { what: `first token, mean, reported by ${name}`, value: many.saidMs, unit: 'ms' },
    { what: 'first token, mean, recorded by the target', value: many.knownMs, unit: 'ms' },
  ];
  return { wholeMs, steadyMs, findings };
}

function measureRun(go: Go, requests: number): Promise<Taken & { turns: number; perSecond: number; knownMs: number }> {
  return withTarget(streamTarget(flatOut), async (target) => {
    const taken = await go(target.baseUrl, requests);
    const { turns } = await target.counts();
    const { from, to, firstMs } = (await target.ask('span')) as StreamSpan;
    return { ...taken, turns, perSecond: (turns / (to - from)) * 1000, knownMs: firstMs / turns };
  });
}

const goOurs =
  ({ folder }: StreamBench): Go =>
  async (baseUrl, requests) => {
    const scenario = `name: 'peers', messages: ['Where is my order {{session.number}}?'], turns: 1, retry: 'none', integrity: false,
      sessions: ${String(requests)}, load: { concurrency: 32 }, ${streamed}`;
    const { result, used } = await play({ folder, baseUrl, scenario });
    return { cpuMs: used.cpuMs, saidMs: result.latency.firstToken.meanMs ?? NaN };
  };

function goRival({ folder }: StreamBench, rival: Rival): Go {
  const program = findRival(rival) ?? rival.program;
  const tokenizer = makeTokenizer(program, folder);
  return async (baseUrl, requests) => {
    const out = mkdtempSync(join(folder, `${rival.program}-`));
    const words = rival.words({ baseUrl, requests, tokenizer, out });
    const child = startPinned('generator', [program, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
    let complaint = '';
    child.stderr?.on('data', (text) => (complaint = (complaint + String(text)).slice(-2000)));
    const watch = watchUsage(child);
    const [code] = (await once(child, 'close').finally(() => watch.stop())) as [number | null];
    if (code !== 0) throw new Error(`${rival.name} ended with ${String(code)}: ${complaint}`);
    return { cpuMs: watch.latest().cpuMs, saidMs: rival.firstTokenMs(out) };
  };
}
