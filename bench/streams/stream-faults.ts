import type { Result } from '../../src/result/result.ts';
import type { StreamFaultOptions } from '../../src/scenario/embedded-faults.ts';
import type { EmbeddedOptions } from '../../src/scenario/embedded.ts';
import type { Finding } from '../finding.ts';
import { play } from './play.ts';
import type { StreamBench } from './stream-bench.ts';
import { protocols, service, withService, type Protocol } from './with-service.ts';

interface FaultCase {
  fault: StreamFaultOptions;
  /** Returns the number of detections in a result. */
  found: (result: Result, protocol: Protocol) => number;
  /** Protocols in which the fault is visible; default all. */
  protocols?: readonly Protocol[];
  /** Gap between two events. */
  gap?: '50ms';
  /** Maximum share of replies that look the same by chance. */
  chance?: number;
}

type Outcome = keyof Result['outcomes']['attempts'];
const ended =
  (outcome: Outcome): FaultCase['found'] =>
  ({ outcomes }) =>
    outcomes.attempts[outcome];
/** Events of Responses are numbered, so a wrong order violates the protocol; in other protocols a check fails. */
const spoilt: FaultCase['found'] = ({ outcomes }, protocol) =>
  outcomes.attempts[protocol === 'openai-responses' ? 'contract_broken' : 'check_failed'];
/** Counts buffered replies: they deliver all events in one read, which other replies hardly do at gaps of 50 ms. */
const buffered: FaultCase['found'] = ({ stream }) => stream.oneRead;

/** Faults without a position damage the tag of a text, the only part that a client can verify. */
const cases: readonly FaultCase[] = [
  { fault: { kind: 'stream_cut' }, found: ended('connection_lost') },
  { fault: { kind: 'stream_end' }, found: ended('truncated') },
  { fault: { kind: 'stream_stall', for: '5s' }, found: ended('timed_out') },
  { fault: { kind: 'stream_error', type: 'server' }, found: ended('server_error') },
  { fault: { kind: 'stream_error', type: 'rate_limit' }, found: ended('rate_limited') },
  { fault: { kind: 'stream_duplicate' }, found: spoilt },
  { fault: { kind: 'stream_swap' }, found: spoilt },
  { fault: { kind: 'stream_drop' }, found: spoilt },
  { fault: { kind: 'stream_no_done' }, found: ({ stream }) => stream.missingDone, protocols: ['openai-chat'] },
  { fault: { kind: 'stream_buffered' }, found: buffered, gap: '50ms', chance: 0.01 },
];

/** Compares detections of each fault with the service's own counts. Every session has one turn. */
export async function findFaults(bench: StreamBench): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const each of cases)
    for (const protocol of each.protocols ?? protocols) findings.push(await strike(bench, { ...each, protocol }));
  return findings;
}

async function strike(
  { folder, scale, report }: StreamBench,
  { fault, found, gap, chance = 0, protocol }: FaultCase & { protocol: Protocol },
): Promise<Finding> {
  const faults = [{ ...fault, share: 0.05 }];
  const options: EmbeddedOptions = { ...service, stream: { gap: gap ?? '0ms' }, faults };
  // Replies with gaps take seconds.
  const turns = Math.max(400, Math.ceil((gap === undefined ? 10_000 : 1000) * scale));
  return withService({ folder, options }, async ({ baseUrl, stats }) => {
    const { result } = await play({ folder, baseUrl, scenario: scenarioOf(protocol, turns) });
    const made = (await stats()).streams.faults[fault.kind];
    const name = 'type' in fault ? `${fault.kind} (${fault.type ?? ''})` : fault.kind;
    report(`${protocol}, ${name}: ${String(found(result, protocol))} of ${String(made)}`);
    return {
      what: `${name} found, ${protocol}`,
      value: found(result, protocol),
      atLeast: Math.max(1, made),
      atMost: made + turns * chance,
    };
  });
}

const scenarioOf = (protocol: Protocol, turns: number): string =>
  `name: 'faults', messages: ['Where is my order {{session.number}}?'], turns: 1, sessions: ${String(turns)}, retry: 'none',
   integrity: true, stallTimeout: '1s', load: { concurrency: 32 },
   target: { agentId: 'bench', protocol: '${protocol}', stream: true }`;
