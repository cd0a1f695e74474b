import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../../src/result/result.ts';
import type { Finding } from '../finding.ts';
import { chatLoad, streamPeer } from '../generators.ts';
import { median } from '../markdown.ts';
import { compareSpeed, type SpeedRow } from '../speed.ts';
import { flatOut, streamTarget } from './stream-shape.ts';
import type { StreamBench } from './stream-bench.ts';

const events = flatOut.events ?? NaN;

/** Measures the cost of an event relative to undici with eventsource-parser, alternately against the same fast target. */
export async function measureStreamCost({ folder, rounds, load, report }: StreamBench): Promise<Finding[]> {
  const shape = streamTarget(flatOut);
  const ours = chatLoad(folder, 'streams');
  const [own, peer] = await compareSpeed({ ours, peers: [streamPeer], shape, rounds, load, report });
  if (own === undefined || peer?.failure !== undefined) throw new Error(`undici: ${peer?.failure ?? 'not measured'}`);
  if (peer === undefined) throw new Error('undici was not measured');
  return [
    { what: 'CPU per event, chat-load', value: usPerEvent(own), unit: 'µs', atMost: 3 },
    { what: 'CPU per event, undici and eventsource-parser', value: usPerEvent(peer), unit: 'µs' },
    {
      what: 'CPU per event, chat-load over undici and eventsource-parser',
      value: 1 / median(peer.ratios.map(({ cpuUsPerTurn }) => cpuUsPerTurn)),
      atMost: 0.5,
    },
    { what: 'turns/s, chat-load', value: perSecond(own) },
    { what: 'turns/s, undici and eventsource-parser', value: perSecond(peer) },
    { what: 'share of content events in the same read as the previous one, chat-load', value: sharedReads(folder) },
  ];
}

const usPerEvent = ({ measures }: SpeedRow): number => median(measures.map((each) => each.cpuUsPerTurn)) / events;
const perSecond = ({ measures }: SpeedRow): number => Math.round(median(measures.map((each) => each.turnsPerSecond)));

function sharedReads(folder: string): number {
  const names = readdirSync(folder).filter((name) => name.startsWith('streams-') && name.endsWith('.json'));
  const results = names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Result);
  return median(results.map(({ stream }) => stream.sharedReads ?? NaN));
}
