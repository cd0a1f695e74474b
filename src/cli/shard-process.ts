import { fromCommonClock, playShard, byCoordinator } from '../app/shard/play-shard.ts';
import { systemClock } from '../edge/clock.ts';
import type { ToShardProcess } from '../edge/fleet/fork-shard.ts';
import type { FromShard } from '../fleet/messages.ts';
import type { Instant } from '../base/time.ts';
import { StopRequest } from '../schedule/stop/stop-controller.ts';
import { endRunWith, judgeStray, watchStrays } from './console/stray-code.ts';

// Main module of a shard process, started by `forkShard`. Terminal signals reach the whole process group; the coordinator
// decides how to handle them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

const drain = new AbortController();
const halt = new AbortController();
const cut = new AbortController();
const levels = { drain, halt, cut };
/** Time for active sessions to finish after the loss of the coordinator. */
const orphanedMs = 10_000;

/** Resolves when the last message is sent. */
let sent: Promise<void> = Promise.resolve();

let begin: (at: Instant) => void = () => undefined;
const start = new Promise<Instant>((resolve) => (begin = resolve));

process.on('message', (message: ToShardProcess) => {
  beatAt = performance.now();
  if (message.kind === 'beat') return;
  if (message.kind === 'play') void play(message);
  else if (message.kind === 'start') startAt(fromCommonClock(message.at));
  else if (!hasStarted) process.exit();
  else levels[message.level].abort(new StopRequest(message.by ?? byCoordinator));
});

process.on('disconnect', leave);

/** Time of the last message from the coordinator. */
let beatAt = performance.now();
setInterval(() => performance.now() - beatAt > orphanedMs && leave(), 1000).unref();

function leave(): void {
  drain.abort(new StopRequest('the loss of its coordinator'));
  setTimeout(() => process.exit(), orphanedMs).unref();
  if (!hasStarted) process.exit();
}

let hasStarted = false;
function startAt(at: Instant): void {
  hasStarted = true;
  systemClock.wakeAt(at, () => begin(at));
}

process.on('uncaughtException', (thrown) => {
  if (endRunWith(judgeStray(thrown))) return;
  send({ kind: 'failed', message: thrown instanceof Error ? thrown.message : String(thrown) });
  void sent.then(() => process.exit(70));
});

async function play({ job, ...place }: Extract<ToShardProcess, { kind: 'play' }>): Promise<void> {
  await playShard(job, place, {
    send: (message) => send(message),
    start,
    drain: drain.signal,
    halt: halt.signal,
    cut: cut.signal,
    strayFailed: (scenario) => watchStrays(scenario).failed,
  });
  await sent;
  process.exit();
}

function send(message: FromShard): void {
  sent = new Promise((resolve) => {
    if (process.connected) process.send?.(message, () => resolve());
    else resolve();
  });
}
