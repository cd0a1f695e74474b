import { once } from 'node:events';
import { setTimeout as pass } from 'node:timers/promises';
import type { ChildProcess } from 'node:child_process';
import type { Generator } from './generators.ts';
import { startPinned } from './pinned.ts';
import { usageOf, type Usage } from './process-tree.ts';
import type { Target } from './with-target.ts';

/** One measurement of a generator: turns counted by the target, CPU time reported by the system. */
export interface Measure {
  turnsPerSecond: number;
  /** CPU time per turn in a window of the steady load, without start and end. */
  cpuUsPerTurn: number;
  /** CPU time per turn of the whole process, from start to end. */
  wholeCpuUsPerTurn: number;
  peakBytes: number;
}

/** Time from the first answered turn to the window, until code is compiled and connections are open. */
const settleMs = 1500;
const lookMs = 25;
const maxStartMs = 30_000;
const graceMs = 5000;

export interface Load {
  connections: number;
  /** Length of the window. */
  windowMs: number;
}

/** Runs a generator against a target and measures it. Throws if it fails or sends nothing. */
export async function measure(generator: Generator, target: Target, { connections, windowMs }: Load): Promise<Measure> {
  const { command, env } = generator.start({
    baseUrl: target.baseUrl,
    connections,
    seconds: Math.ceil((settleMs + windowMs) / 1000) + 1,
  });
  const turnsBefore = (await target.counts()).turns;
  const child = startPinned('generator', command, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, GOMAXPROCS: '1', ...env },
  });
  const watch = watchUsage(child);
  const ended = endOf(child);
  try {
    await firstTurn(target, turnsBefore, ended);
    await pass(settleMs);
    const begin = await look(target, watch.latest);
    await pass(windowMs);
    const end = await look(target, watch.latest);
    await Promise.race([ended, pass(graceMs)]);
    const turns = end.turns - begin.turns;
    if (turns === 0) throw new Error(`${generator.name} sent nothing.`);
    const whole = (await target.counts()).turns - turnsBefore;
    return {
      turnsPerSecond: (turns / (end.at - begin.at)) * 1000,
      cpuUsPerTurn: ((end.used.cpuMs - begin.used.cpuMs) / turns) * 1000,
      wholeCpuUsPerTurn: (watch.latest().cpuMs / whole) * 1000,
      peakBytes: watch.latest().peakBytes,
    };
  } finally {
    watch.stop();
    child.kill();
    await ended.catch(() => undefined);
  }
}

/** Rejects if the program fails. */
async function endOf(child: ChildProcess): Promise<void> {
  let complaint = '';
  child.stderr?.on('data', (text) => (complaint = (complaint + String(text)).slice(-2000)));
  const [code] = (await once(child, 'exit')) as [number | null];
  // Exit code 4 is chat-load's verdict on a busy machine; the target counts its turns in any case.
  if (code !== null && code !== 0 && code !== 4) throw new Error(`it ended with ${String(code)}: ${complaint}`);
}

async function firstTurn(target: Target, turnsBefore: number, ended: Promise<void>): Promise<void> {
  const startedAt = performance.now();
  while ((await target.counts()).turns === turnsBefore) {
    if (performance.now() - startedAt > maxStartMs) throw new Error('It sent nothing.');
    await Promise.race([ended, pass(lookMs)]);
  }
}

async function look(target: Target, latest: () => Usage): Promise<{ at: number; turns: number; used: Usage }> {
  const { turns } = await target.counts();
  return { at: performance.now(), turns, used: latest() };
}

/** Samples the usage of a process, because it cannot be read after its end. */
export function watchUsage(child: Pick<ChildProcess, 'pid'>): { latest: () => Usage; stop: () => void } {
  let used: Usage = { cpuMs: 0, peakBytes: 0 };
  const latest = (): Usage => {
    const seen = child.pid === undefined ? undefined : usageOf(child.pid);
    // The sum excludes the memory of a child that has ended.
    if (seen !== undefined && seen.cpuMs >= used.cpuMs)
      used = { cpuMs: seen.cpuMs, peakBytes: Math.max(seen.peakBytes, used.peakBytes) };
    return used;
  };
  const timer = setInterval(latest, lookMs);
  return { latest, stop: () => clearInterval(timer) };
}
