import type { GeneratorAccount } from '../result/journal/journal.ts';
import type { GeneratorHealth } from '../result/sections/generator-health.ts';
import type { GeneratorSample } from '../result/sections/generator-interval.ts';
import { GeneratorSamples } from '../result/sections/generator-samples.ts';
import type { Traffic } from '../result/sections/rates.ts';

/** The worst of each figure of several processes; `null` when none was measured. */
export function worstHealth(parts: readonly (GeneratorHealth | null)[]): GeneratorHealth | null {
  const [first, ...rest] = parts.filter((part) => part !== null);
  if (first === undefined) return null;
  return rest.reduce((worst, each) => worseOf(worst, each), first);
}

/** The sum of the traffic of several processes; `null` when none was measured. */
export function sumTraffic(parts: readonly (Traffic | null)[]): Traffic | null {
  const [first, ...rest] = parts.filter((part) => part !== null);
  if (first === undefined) return null;
  return rest.reduce(
    (sum, each) => ({
      sentBytes: sum.sentBytes + each.sentBytes,
      receivedBytes: sum.receivedBytes + each.receivedBytes,
      connectionsOpened: sum.connectionsOpened + each.connectionsOpened,
    }),
    first,
  );
}

function worseOf(a: GeneratorHealth, b: GeneratorHealth): GeneratorHealth {
  const names = Object.keys(a) as (keyof GeneratorHealth)[];
  return Object.fromEntries(names.map((name) => [name, Math.max(a[name], b[name])])) as GeneratorHealth;
}

/** The samples of several processes: of each second the worst. */
export class WorstSamples {
  readonly #kept = new GeneratorSamples();
  /** By second: those that no account has contained yet. */
  readonly #fresh = new Map<number, GeneratorSample>();

  add(samples: readonly GeneratorSample[]): void {
    for (const sample of samples) {
      const second = Math.floor(sample.startMs / 1000);
      const there = this.#fresh.get(second);
      this.#fresh.set(second, there === undefined ? sample : worseSample(there, sample));
    }
  }

  /** Those of seconds that began before this, in milliseconds since the start; each is given once. */
  take(beforeMs: number): GeneratorAccount['samples'] {
    const taken = [...this.#fresh].filter(([second]) => second * 1000 < beforeMs);
    for (const [second, sample] of taken) {
      this.#fresh.delete(second);
      this.#kept.add(sample);
    }
    return taken.map(([, sample]) => sample);
  }

  /** All that were taken. */
  all(): readonly GeneratorSample[] {
    return this.#kept.all();
  }
}

const worseSample = (a: GeneratorSample, b: GeneratorSample): GeneratorSample => ({
  startMs: Math.min(a.startMs, b.startMs),
  lengthMs: Math.max(a.lengthMs, b.lengthMs),
  rssBytes: Math.max(a.rssBytes, b.rssBytes),
  heapBytes: Math.max(a.heapBytes, b.heapBytes),
  eventLoopDelayP99Ms: Math.max(a.eventLoopDelayP99Ms, b.eventLoopDelayP99Ms),
  cpuShare: Math.max(a.cpuShare, b.cpuShare),
});
