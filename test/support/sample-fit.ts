import { fitWorkload } from '../../src/fit/fit-workload.ts';
import type { Fit } from '../../src/fit/document/fit.ts';
import { drawTrace } from './drawn-trace.ts';

/** A fit to a trace whose columns were named; its turns are in two heaps, which nothing fits. */
export function sampleFit(): Fit {
  const settings = { seed: 1, replyTimeMs: 0 };
  const trace = drawTrace({
    seed: 1,
    sessions: 500,
    turns: (random) => () => (random() < 0.5 ? 3 : 50),
    gapMs: (random) => () => (random() < 0.5 ? 100 + random() : 90_000 + random()),
    inputTokens: (random) => () => 5 + 100 * random(),
  });
  return {
    kind: 'chat-load/fit',
    schemaVersion: 1,
    toolVersion: '0',
    inputs: [
      {
        file: 'trace.csv',
        holds: 'trace',
        count: trace.count,
        digest: 'd',
        malformedLines: 2,
        firstMalformed: ['line 3 is not JSON', 'line 9 is not JSON'],
      },
    ],
    columns: { at: 'time', session: "user's" },
    ...settings,
    ...fitWorkload({ trace }, settings),
  };
}
