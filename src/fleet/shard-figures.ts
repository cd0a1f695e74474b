import type { GeneratorAccount } from '../result/journal/journal.ts';
import type { GeneratorHealth } from '../result/sections/generator-health.ts';
import type { GeneratorSample } from '../result/sections/generator-health.ts';
import { GeneratorSamples } from '../result/sections/generator-health.ts';
import type { Traffic } from '../result/sections/rates.ts';
import { z } from 'zod';
import { turnClassNames } from '../protocol/outcome.ts';
import type { Live } from '../record/live.ts';

/** Returns the worst of each figure of several processes; `null` when none was measured. */
export function worstHealth(parts: readonly (GeneratorHealth | null)[]): GeneratorHealth | null {
  const [first, ...rest] = parts.filter((part) => part !== null);
  if (first === undefined) return null;
  return rest.reduce((worst, each) => combine(worst, each, Math.max), first);
}

/** Returns the sum of the traffic of several processes; `null` when none was measured. */
export function sumTraffic(parts: readonly (Traffic | null)[]): Traffic | null {
  const [first, ...rest] = parts.filter((part) => part !== null);
  if (first === undefined) return null;
  return rest.reduce((sum, each) => combine(sum, each, (a, b) => a + b), first);
}

/** Combines two records of figures, figure by figure. */
function combine<Figures extends object>(a: Figures, b: Figures, of: (a: number, b: number) => number): Figures {
  const others = new Map<string, number>(Object.entries(b));
  return Object.fromEntries(
    Object.entries<number>(a as Record<string, number>).map(([name, figure]) => [
      name,
      of(figure, others.get(name) ?? figure),
    ]),
  ) as Figures;
}

/** The worst sample of each second of several processes. */
export class WorstSamples {
  readonly #kept = new GeneratorSamples();
  /** Samples by second that no account has contained yet. */
  readonly #fresh = new Map<number, GeneratorSample>();

  add(samples: readonly GeneratorSample[]): void {
    for (const sample of samples) {
      const second = Math.floor(sample.startMs / 1000);
      const there = this.#fresh.get(second);
      this.#fresh.set(second, there === undefined ? sample : worseSample(there, sample));
    }
  }

  /** Returns the samples of seconds that began before `beforeMs` since the start; each is returned once. */
  take(beforeMs: number): GeneratorAccount['samples'] {
    const taken = [...this.#fresh].filter(([second]) => second * 1000 < beforeMs);
    for (const [second, sample] of taken) {
      this.#fresh.delete(second);
      this.#kept.add(sample);
    }
    return taken.map(([, sample]) => sample);
  }

  all(): readonly GeneratorSample[] {
    return this.#kept.all();
  }
}

const worseSample = (a: GeneratorSample, b: GeneratorSample): GeneratorSample => ({
  ...combine(a, b, Math.max),
  startMs: Math.min(a.startMs, b.startMs),
});

const count = z.number().min(0);

const liveCountsSchema = z.object({
  elapsedMs: count,
  sessionsStarted: count,
  sessionsLive: count,
  sessionsDone: count,
  sessionsNotCreated: count,
  failedCreations: count,
  turnsInFlight: count,
  attempts: count,
  retries: count,
  sessionsDropped: count,
  lastStartMs: count,
  sessionTimeMs: count,
  costNanos: count,
  outputTokens: count,
});

/** Live figures of one shard in messages: only figures that can be summed. */
export const liveSchema = liveCountsSchema.extend({ turns: z.record(z.enum(turnClassNames), count) });
export type ShardLive = z.infer<typeof liveSchema>;

const summed = liveCountsSchema.keyof().options;
/** Figures whose maximum counts; the others add up. */
const peaks: readonly string[] = ['elapsedMs', 'lastStartMs'];

/** Sums the live figures of several shards; percentiles cannot be summed, and are passed separately. */
export function sumLive(parts: readonly ShardLive[], ofTurns: Pick<Live, 'p95Ms' | 'lastSecond'>): Live {
  const figureOf = (name: (typeof summed)[number]): number => {
    const figures = parts.map((part) => part[name]);
    return peaks.includes(name) ? Math.max(0, ...figures) : sumOf(figures);
  };
  const turnsOf = turnClassNames.map((name) => [name, sumOf(parts.map((part) => part.turns[name]))]);
  return {
    ...(Object.fromEntries(summed.map((name) => [name, figureOf(name)])) as Omit<ShardLive, 'turns'>),
    turns: Object.fromEntries(turnsOf) as Live['turns'],
    ...ofTurns,
  };
}

const sumOf = (figures: readonly number[]): number => figures.reduce((sum, each) => sum + each, 0);
