import { resolve } from 'node:path';
import type { Finding } from '../finding.ts';
import { chatLoad, type Generator } from '../generators.ts';
import { median } from '../markdown.ts';
import { compareSpeed } from '../speed.ts';
import { plainTarget, type TargetProgram, type TargetShape } from '../with-target.ts';
import type { StreamBench } from './stream-bench.ts';
import { flatOut, streamTarget } from './stream-shape.ts';

type AgainstEarlier = StreamBench & { before: string };

/** Measures the cost of a chat-messaging turn, and of a streamed reply, relative to another built checkout, alternately. */
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

async function compareBuilds(
  { rounds, load, report, before }: AgainstEarlier,
  { what, ours, shape }: Compared,
): Promise<Finding[]> {
  const [own, earlier] = await compareSpeed({ ours, peers: [inCheckout(ours, before)], shape, rounds, load, report });
  if (own === undefined || earlier === undefined) throw new Error('two builds were requested');
  if (earlier.failure !== undefined) throw new Error(`the build before: ${earlier.failure}`);
  const figure = (key: 'cpuUsPerTurn' | 'turnsPerSecond'): number =>
    median(earlier.ratios.map((each) => 1 / each[key]));
  const cost = ({ measures }: typeof own): number => median(measures.map((each) => each.cpuUsPerTurn));
  return [
    { what: `CPU per ${what}, now`, value: cost(own), unit: 'µs' },
    { what: `CPU per ${what}, before`, value: cost(earlier), unit: 'µs' },
    { what: `CPU per ${what}, now over before`, value: figure('cpuUsPerTurn'), atMost: 1.03 },
    { what: `${what}, per second, now over before`, value: figure('turnsPerSecond'), atLeast: 0.97 },
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
