import { instant } from '../../src/base/time.ts';
import { decodeLine } from '../../src/edge/disk/lines.ts';
import type { JournalWriter } from '../../src/edge/disk/write-journal.ts';
import { keepJournal } from '../../src/app/run/perform-run.ts';
import type { Plan } from '../../src/plan/plan.ts';
import type { Script } from '../../src/plan/script.ts';
import { JournalGathering } from '../../src/result/journal/gather-journal.ts';
import type { EndEntry, IntervalEntry, JournalHeader } from '../../src/result/journal/journal.ts';
import type { Result } from '../../src/result/result.ts';
import { publishStop } from '../../src/result/sections/run-facts.ts';
import { run } from '../../src/run.ts';
import { healthy, resultOf, runFacts } from '../support/synthetic-result.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import type { Signals } from './factors.ts';
import { PretendedService, type Served } from './pretended-service.ts';
import { type AnswerModel, wallStart } from './service-model.ts';
import { chatMessaging } from '../../src/protocol/chat-messaging/chat-messaging.ts';

export interface Played {
  result: Result;
  served: readonly Served[];
  leftTimers: number;
  /** Journal entries and their times, in milliseconds since the run's start. */
  journal: readonly { at: number; entry: IntervalEntry | EndEntry }[];
}

/** Runs a resolved scenario through the whole pipeline in virtual time, with signals and journal. */
export async function play(
  { plan, script }: { plan: Plan; script: Script },
  { model, signals }: { model: AnswerModel; signals: Signals },
): Promise<Played> {
  const clock = new VirtualClock();
  clock.wallStart = wallStart;
  const service = new PretendedService(model, clock);
  const [drain, cut] = [new AbortController(), new AbortController()];
  const journal: Played['journal'][number][] = [];
  const kept = keepJournal(
    { writer: writerTo((entry) => journal.push({ at: clock.now(), entry })) },
    {
      run: runFacts.id,
      accountNow: () => ({ generator: healthy, samples: [], traffic: null, transport: null }),
    },
  );
  const running = run(plan, script, {
    protocol: chatMessaging,
    send: service.send,
    abortExchanges: () => service.abort(),
    clock,
    drain: drain.signal,
    cut: cut.signal,
    redact: (text) => text,
    journal: kept,
  });
  const cancels = [
    clock.wakeAt(instant(signals.drainAt), () => drain.abort()),
    clock.wakeAt(instant(signals.cutAt), () => cut.abort()),
  ];
  void running.then(() => cancels.forEach((cancel) => cancel()));
  const { snapshot, stop, elapsedMs } = await clock.finish(running);
  if (stop?.kind === 'bug') throw stop.error;
  await kept.end(
    { elapsedMs, stop: publishStop(stop) },
    { generator: healthy, samples: [], traffic: null, transport: null },
  );
  const status = stop === undefined ? 'completed' : stop.kind === 'signal' ? 'interrupted' : 'stopped';
  const result = resultOf({ plan, snapshot }, { run: { ...runFacts, status, stop: publishStop(stop) } });
  return { result, served: service.served, leftTimers: clock.pending, journal };
}

/** The result that is recovered from what of a journal had been written by an instant, and up to when that is complete. */
export function recover(
  plan: Plan,
  journal: Played['journal'],
  killedAt: number,
): { result: Result; knownUntil: number } {
  const header: JournalHeader = {
    kind: 'chat-load/journal',
    schemaVersion: 1,
    run: runFacts,
    plan,
    environment: null,
    calibration: null,
    warnings: [],
  };
  const gathering = new JournalGathering(header, { isStrict: false });
  const written = journal.filter(({ at }) => at <= killedAt);
  for (const [index, { entry }] of written.entries())
    gathering.add({ line: index + 2, kind: 'entry', entry: JSON.parse(JSON.stringify(entry)) as unknown });
  const { snapshot, stop, losses } = gathering.end();
  const run = { ...runFacts, status: 'recovered' as const, stop };
  const result = resultOf({ plan, snapshot }, { run, isWhole: losses.hasEnd });
  return { result, knownUntil: snapshot.elapsedMs };
}

const writerTo = (add: (entry: IntervalEntry | EndEntry) => void): JournalWriter => ({
  path: 'virtual.ndjson',
  add: (line) => add(decodeLine(line.subarray(0, -1))?.entry as IntervalEntry | EndEntry),
  failed: new Promise(() => undefined),
  close: () => Promise.resolve(),
  remove: () => Promise.resolve(),
});
