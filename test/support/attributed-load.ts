import { planFor } from './synthetic-run.ts';
import { instant, ms } from '../../src/base/time.ts';
import type { AttemptFact } from '../../src/model-calls/attempt-facts.ts';
import { createModelRecorder, type ModelRecorder } from '../../src/model-calls/model-recorder.ts';
import { textHashOf } from '../../src/model-calls/text-hash.ts';
import { makeTraceId } from '../../src/model-calls/trace-id.ts';
import type { Snapshot } from '../../src/record/snapshot.ts';

const run = '0badcafe';
const start = { api: 'chat', model: 'm', headerTraceId: undefined, retryCount: 0, inputTokens: 10 } as const;
const end = { outcome: 'ok', status: 200, model: 'm', usage: { inputTokens: 10, outputTokens: 5 } } as const;

/** Agents in virtual time that call the model twice a turn, go on after the reply, and now and then lose a trace or a record. */
export class AttributedLoad {
  readonly #recorder: ModelRecorder;
  #calls = 0;
  /** Ends of calls that last for several seconds. */
  #open: { id: number; at: number }[] = [];

  constructor(recorder: ModelRecorder) {
    this.#recorder = recorder;
  }

  /** Tells one second with a thousand turns, each in its own session. */
  second(second: number): void {
    const at = second * 1000;
    for (let index = 0; index < 1000; index++) this.#turn(second * 1000 + index + 1, at + index * 0.5);
    this.#open = this.#open.filter(({ id, at: endAt }) => {
      if (endAt > at) return true;
      this.#recorder.callEnded({ ...end, id, endedAt: instant(endAt) });
      return false;
    });
    this.#recorder.roll(instant(at + 1000));
  }

  #turn(session: number, at: number): void {
    const creation = makeTraceId(run, { session, turn: 0, attempt: 1 });
    const traceId = makeTraceId(run, { session, turn: 1, attempt: 1 });
    const userText = `message ${String(session)}`;
    const facts: AttemptFact[] = [
      this.#begun(creation, { session, turn: 0, at }, ''),
      { kind: 'ended', traceId: creation, outcome: 'ok', endedAt: instant(at + 1), firstTokenAt: undefined, words: [] },
      this.#begun(traceId, { session, turn: 1, at: at + 1 }, textHashOf(userText)),
    ];
    if (session % 50 !== 0) this.#recorder.take(facts);
    this.#call(creation, at, at + 0.5);
    this.#call(traceId, at + 2, at + 50, `${String(session)} a`);
    this.#call(session % 20 === 0 ? undefined : traceId, at + 60, at + 100, `${String(session)} b`, userText);
    const outcome = session % 10 === 0 ? 'timed_out' : 'ok';
    const ended = { traceId, outcome, endedAt: instant(at + 200) } as const;
    this.#recorder.take([
      { ...ended, kind: 'ended', firstTokenAt: instant(at + 150), words: [`word ${String(session)}`] },
      { ...ended, kind: 'turn', session, turn: 1, policy: 0, attempts: 1, firstSentAt: instant(at + 1) },
    ]);
    this.#call(traceId, at + 250, session % 5 === 0 ? at + 8000 : at + 300, `${String(session)} c`);
  }

  #begun(
    traceId: string,
    { session, turn, at }: Record<'session' | 'turn' | 'at', number>,
    textHash: string,
  ): AttemptFact {
    const times = { sentAt: instant(at), countedFrom: instant(at) };
    return { kind: 'begun', traceId, session, turn, attempt: 1, policy: 0, textHash, ...times };
  }

  #call(traceId: string | undefined, arrivedAt: number, endedAt: number, digest = 'creation', userText = ''): void {
    const id = ++this.#calls;
    const blocks = ['system', `${digest} 1`, `${digest} 2`];
    this.#recorder.callStarted({ ...start, id, arrivedAt: instant(arrivedAt), traceId, userText, digest, blocks });
    if (endedAt - arrivedAt > 1000) this.#open.push({ id, at: endedAt });
    else this.#recorder.callEnded({ ...end, id, endedAt: instant(endedAt), word: `word ${digest}` });
  }
}

/** Returns the recorder of a run in virtual time. */
export function recorderFor(match: 'text' | undefined, onInterval?: (piece: Snapshot) => void): ModelRecorder {
  return createModelRecorder({
    plan: planFor(),
    run,
    startedAt: instant(0),
    model: { match, orphanGrace: ms(250) },
    defer: (work) => work(),
    ...(onInterval && { onInterval }),
  });
}
