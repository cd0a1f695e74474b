import fc from 'fast-check';

/** Number of runs and seed of a property. */
interface Effort {
  seed: number;
  /** Tries in all; with `timeLimitMs` as many as fit into that. */
  runs: number;
  timeLimitMs?: number;
}

/** A claim about every input of a kind. */
export interface Fuzz {
  name: string;
  /** Tries in `npm run test:long`; the suite makes a quarter of them. */
  runs: number;
  /** Rejects with a counterexample, its seed and its path. */
  attempt: (effort: Effort) => Promise<void>;
}

/** Processor time that one input may take: more is a hang on a larger one. */
const maxCpuMs = 5000;

/** Converts a claim, which throws if it does not hold, to a property. */
export function fuzz<Input>(
  { name, runs }: Pick<Fuzz, 'name' | 'runs'>,
  inputs: fc.Arbitrary<Input>,
  claim: (input: Input) => void | Promise<void>,
): Fuzz {
  return {
    name,
    runs,
    attempt: async ({ seed, runs: numRuns, timeLimitMs }) =>
      fc.assert(
        fc.asyncProperty(inputs, async (input) => {
          const before = process.cpuUsage();
          await claim(input);
          const { user, system } = process.cpuUsage(before);
          if ((user + system) / 1000 > maxCpuMs) throw new Error(`it took ${String((user + system) / 1000)} ms`);
          requireUnpolluted();
        }),
        {
          seed,
          numRuns,
          ...(timeLimitMs !== undefined && { interruptAfterTimeLimit: timeLimitMs }),
        },
      ),
  };
}

/** Keys that inputs try to put on every object. */
export const pollution = { polluted: 'yes' };

function requireUnpolluted(): void {
  if ('polluted' in {} || 'polluted' in Object) throw new Error('an input reached the prototype of every object');
}
