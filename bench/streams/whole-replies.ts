import { resolve } from 'node:path';
import type { Finding } from '../finding.ts';
import { chatLoad, type Generator } from '../generators.ts';
import { median } from '../markdown.ts';
import { compareSpeed } from '../speed.ts';
import { plainTarget } from '../with-target.ts';
import type { StreamBench } from './stream-bench.ts';

/** Measures the cost of a chat-messaging turn relative to another built checkout, alternately. */
export async function measureWholeReplies(bench: StreamBench & { before: string }): Promise<Finding[]> {
  const { folder, rounds, load, report, before } = bench;
  const ours = chatLoad(folder);
  const [own, earlier] = await compareSpeed({
    ours,
    peers: [inCheckout(ours, before)],
    shape: plainTarget,
    rounds,
    load,
    report,
  });
  if (own === undefined || earlier === undefined) throw new Error('two builds were requested');
  if (earlier.failure !== undefined) throw new Error(`the build before: ${earlier.failure}`);
  const figure = (key: 'cpuUsPerTurn' | 'turnsPerSecond'): number =>
    median(earlier.ratios.map((each) => 1 / each[key]));
  return [
    {
      what: 'CPU per non-streamed turn, now',
      value: median(own.measures.map((each) => each.cpuUsPerTurn)),
      unit: 'µs',
    },
    {
      what: 'CPU per non-streamed turn, before',
      value: median(earlier.measures.map((each) => each.cpuUsPerTurn)),
      unit: 'µs',
    },
    { what: 'CPU per non-streamed turn, now over before', value: figure('cpuUsPerTurn'), atMost: 1.03 },
    { what: 'turns/s, now over before', value: figure('turnsPerSecond'), atLeast: 0.97 },
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
