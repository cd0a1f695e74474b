import type { Chapter } from '../chapter.ts';
import type { Finding } from '../finding.ts';
import { chapterOf as chapterOfFindings, measureSome } from '../measure-some.ts';
import type { StreamBench } from './stream-bench.ts';
import { measureStreamCost } from './stream-cost.ts';
import { measureStreamGuard } from './stream-guard.ts';
import { measureStreamMemory } from './stream-memory.ts';
import { measureStreamPeers } from './stream-peers.ts';
import { measureStreamTruth } from './stream-truth.ts';
import { measureWholeReplies } from './whole-replies.ts';

type Measure = (bench: StreamBench) => Promise<Chapter | undefined>;

const measures: Readonly<Record<string, Measure>> = {
  cost: async (bench) => chapterOf('cost', await measureStreamCost(bench)),
  peers: async (bench) => {
    const findings = await measureStreamPeers(bench);
    return findings.length === 0 ? undefined : chapterOf('AIPerf and GuideLLM', findings);
  },
  memory: async (bench) => chapterOf('memory', await measureStreamMemory(bench)),
  truth: measureStreamTruth,
  guard: async (bench) => chapterOf('the integrity guard', await measureStreamGuard(bench)),
  whole: async (bench) => {
    const { before } = bench;
    if (before !== undefined)
      return chapterOf('replies against an earlier build', await measureWholeReplies({ ...bench, before }));
    bench.report('Replies are not compared with an earlier build: name a built checkout with --before.');
    return undefined;
  },
};

/** Names of the parts about streams. */
export const streamParts = Object.keys(measures);

/** Measures streamed replies: cost, accuracy of their times, findings of the integrity checks; some parts or all. */
export function measureStreams(bench: StreamBench, only?: readonly string[]): Promise<Chapter[]> {
  return measureSome(measures, bench, only);
}

const chapterOf = (name: string, findings: readonly Finding[]): Chapter =>
  chapterOfFindings(`Streams: ${name}`, findings);
