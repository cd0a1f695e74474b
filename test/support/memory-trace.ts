import type { OpenedTrace, TracedSession } from '../../src/trace/trace.ts';

/** A session in short; each turn is `[afterMs, inputTokens, outputTokens]`. */
export interface SessionSketch {
  atMs: number;
  turns: readonly (readonly [number, number | null, number | null])[];
}

/** An opened trace without a file. */
export function memoryTrace(sketches: readonly SessionSketch[]): OpenedTrace {
  const sessions: TracedSession[] = sketches.map(({ atMs, turns }) => ({
    atMs,
    turns: turns.map(([afterMs, inputTokens, outputTokens]) => ({
      afterMs,
      inputTokens,
      outputTokens,
      replyMs: null,
      waitMs: null,
    })),
  }));
  const at = (index: number): TracedSession => {
    const session = sessions[index];
    if (session === undefined) throw new RangeError(`no session ${String(index)}`);
    return session;
  };
  const lengthOf = ({ turns }: TracedSession): number => turns.at(-1)?.afterMs ?? 0;
  return {
    file: 'memory',
    facts: {
      form: 'jsonl',
      times: 'seconds',
      requests: sessions.reduce((sum, { turns }) => sum + turns.length, 0),
      malformed: { count: 0, first: [] },
      doubtful: { count: 0, first: [] },
      inputs: { whole: 0, fresh: 0 },
    },
    count: sessions.length,
    lengthMs: sessions.at(-1)?.atMs ?? 0,
    endMs: Math.max(...sessions.map((session) => session.atMs + lengthOf(session))),
    digest: JSON.stringify(sketches),
    at,
    startAt: (index) => {
      const session = at(index);
      return { atMs: session.atMs, lengthMs: lengthOf(session), turns: session.turns.length };
    },
  };
}
