import { instant } from '../../src/base/time.ts';
import { textHashOf } from '../../src/model-calls/text-hash.ts';
import { makeTraceId } from '../../src/model-calls/trace-id.ts';
import { MergingRecorder } from '../../src/record/merging-recorder.ts';
import { recorderFor } from '../../test/support/attributed-load.ts';
import { heldMemory } from '../../test/support/held-memory.ts';
import { planFor } from '../../test/support/synthetic-run.ts';

/**
 * Attributes the model calls of a long run in virtual time, and prints what it holds: 1,000 turns per second, each with a
 * call; every tenth attempt fails and its call goes on after the turn; every twentieth call has no trace and is matched by
 * its text; the records of every hundredth attempt are lost. The intervals are merged as in the process of a run.
 * Arguments: number of hours, default 10; turns per second, default 1,000.
 */
const hours = Number(process.argv[2] ?? 10);
const turnsPerSecond = Number(process.argv[3] ?? 1000);
const run = '0badcafe';
const start = { api: 'chat', model: 'm', headerTraceId: undefined, retryCount: 0, inputTokens: 10 } as const;
const end = { outcome: 'ok', status: 200, model: 'm', usage: { inputTokens: 10, outputTokens: 5 } } as const;

const merged = new MergingRecorder({ plan: planFor(), workers: ['model'], defer: (work) => work() });
const recorder = recorderFor('text', (piece) => {
  merged.add('model', piece);
  merged.close(piece.elapsedMs);
});
const memory = heldMemory();
let calls = 0;

function call(traceId: string | undefined, userText: string, [from, to]: readonly [number, number]): void {
  const id = ++calls;
  const blocks = ['system', userText];
  recorder.callStarted({ ...start, id, arrivedAt: instant(from), traceId, userText, digest: userText, blocks });
  recorder.callEnded({ ...end, id, endedAt: instant(to) });
}

function turn(session: number, at: number): void {
  const traceId = makeTraceId(run, { session, turn: 1, attempt: 1 });
  const text = `message ${String(session)}`;
  const isLost = session % 100 === 0;
  const times = { sentAt: instant(at), countedFrom: instant(at) };
  const begun = {
    kind: 'begun',
    traceId,
    session,
    turn: 1,
    attempt: 1,
    policy: 0,
    textHash: textHashOf(text),
    ...times,
  } as const;
  if (!isLost) recorder.take([begun]);
  call(session % 20 === 0 ? undefined : traceId, text, [at + 2, at + 50]);
  const isFailed = session % 10 === 1;
  const ended = { traceId, outcome: isFailed ? 'timed_out' : 'ok', endedAt: instant(at + 200) } as const;
  if (!isLost)
    recorder.take([
      { ...ended, kind: 'ended', firstTokenAt: instant(at + 150), words: [] },
      { ...ended, kind: 'turn', session, turn: 1, policy: 0, attempts: 1, firstSentAt: instant(at) },
    ]);
  if (isFailed) call(traceId, text, [at + 250, at + 2000]);
}

const begunAt = performance.now();
process.stdout.write('| virtual time | turns | heap | accounts held | elapsed |\n| --- | --- | --- | --- | --- |\n');
for (let second = 0; second < hours * 3600; second++) {
  for (let index = 0; index < turnsPerSecond; index++)
    turn(second * turnsPerSecond + index + 1, second * 1000 + (index * 1000) / turnsPerSecond);
  recorder.roll(instant((second + 1) * 1000));
  if ((second + 1) % 1800 !== 0) continue;
  const held = Object.entries(recorder.held).map(([name, count]) => `${name} ${String(count)}`);
  const cells = [
    `${String((second + 1) / 3600)} h`,
    String((second + 1) * turnsPerSecond),
    `${(memory() / 1e6).toFixed(1)} MB`,
    held.join(', '),
    `${((performance.now() - begunAt) / 60_000).toFixed(1)} min`,
  ];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
recorder.closeAt(instant(hours * 3_600_000));
const { modelCalls } = recorder.snapshots(instant(hours * 3_600_000))[0]?.totals[0]?.counters ?? {};
const sum = merged.snapshot(hours * 3_600_000).totals[0]?.counters.modelCalls;
process.stdout.write(`${JSON.stringify(modelCalls)}, merged ${JSON.stringify(sum)} of ${String(calls)} calls\n`);
