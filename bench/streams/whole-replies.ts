import { resolve } from 'node:path';
import type { Finding } from '../finding.ts';
import { chatLoad, type Generator } from '../generators.ts';
import { median } from '../markdown.ts';
import { measure } from '../measure.ts';
import { plainTarget, withTarget, type TargetProgram, type TargetShape } from '../with-target.ts';
import type { StreamBench } from './stream-bench.ts';
import { flatOut, streamTarget } from './stream-shape.ts';

type AgainstEarlier = StreamBench & { before: string };

/** Measures the cost of a chat-messaging turn, and of a streamed reply, relative to another built checkout. */
export async function measureWholeReplies(bench: AgainstEarlier): Promise<Finding[]> {
  return [
    ...(await compareBuilds(bench, { what: 'non-streamed turn', ours: chatLoad(bench.folder), shape: plainTarget })),
    ...(await compareBuilds(bench, {
      what: 'streamed turn of 100 events',
      ours: chatLoad(bench.folder, 'streams'),
      shape: streamTarget(flatOut),
    })),
  ];
}

interface Compared {
  what: string;
  ours: Generator;
  shape: TargetShape | TargetProgram;
}

/**
 * Measures both builds at the same time on one core, each with a target of its own: the speed of a shared machine changes by half
 * from one second to the next, and affects both alike.
 */
async function compareBuilds(
  { rounds, load, report, before }: AgainstEarlier,
  { what, ours, shape }: Compared,
): Promise<Finding[]> {
  const costOf = async (generator: Generator): Promise<number> => {
    const { cpuUsPerTurn } = await withTarget(shape, (target) => measure(generator, target, load));
    return cpuUsPerTurn;
  };
  const pairs: { now: number; earlier: number }[] = [];
  for (let round = 1; round <= rounds; round++) {
    const [now = NaN, earlier = NaN] = await Promise.all([ours, inCheckout(ours, before)].map(costOf));
    report(`${what}: ${now.toFixed(1)} µs of CPU now, ${earlier.toFixed(1)} µs before`);
    pairs.push({ now, earlier });
  }
  return [
    { what: `CPU per ${what}, now`, value: median(pairs.map(({ now }) => now)), unit: 'µs' },
    { what: `CPU per ${what}, before`, value: median(pairs.map(({ earlier }) => earlier)), unit: 'µs' },
    {
      what: `CPU per ${what}, now over before`,
      value: median(pairs.map(({ now, earlier }) => now / earlier)),
      atMost: 1.03,
    },
  ];
}

/** Returns the generator with the command and scenario of another checkout. */
function inCheckout(ours: Generator, checkout: string): Generator {
  const root = resolve(import.meta.dirname, '../..');
  const there = (word: string): string =>
    word.startsWith(`${root}/`) ? resolve(checkout, word.slice(root.length + 1)) : word;
  return {
    ...ours,
    name: 'chat-load before',
    start: (load) => {
      const { command, ...rest } = ours.start(load);
      const [file, ...words] = command;
      return { ...rest, command: [file, ...words.map(there)] };
    },
  };
}
