import type { Result } from '../../src/result/result.ts';
import type { StreamFaultOptions } from '../../src/scenario/embedded-stream-faults.ts';
import type { Finding } from '../finding.ts';
import { play } from './play.ts';
import type { StreamBench } from './stream-bench.ts';
import { protocols, service } from './stream-guard.ts';
import { withService } from './with-service.ts';

type Protocol = (typeof protocols)[number];

interface FaultCase {
  fault: StreamFaultOptions;
  /** How often a run found it. */
  found: (result: Result, protocol: Protocol) => number;
  /** Those in which it can be seen. */
  protocols?: readonly Protocol[];
}

type Outcome = keyof Result['outcomes']['attempts'];
const ended =
  (outcome: Outcome): FaultCase['found'] =>
  ({ outcomes }) =>
    outcomes.attempts[outcome];
/** The events of responses are numbered: what is wrong with their order breaks the contract, elsewhere a check. */
const spoilt: FaultCase['found'] = ({ outcomes }, protocol) =>
  outcomes.attempts[protocol === 'openai-responses' ? 'contract_broken' : 'check_failed'];
/** All pieces of a reply but the first come in the read of the one before: here nothing else does, pieces being 5 ms apart. */
const buffered: FaultCase['found'] = ({ stream, latency }) =>
  Math.round(((stream.sharedReads ?? 0) * latency.gap.count) / (pieces - 1));

const pieces = 6;
const cases: readonly FaultCase[] = [
  { fault: { kind: 'stream_cut' }, found: ended('connection_lost') },
  { fault: { kind: 'stream_end' }, found: ended('truncated') },
  { fault: { kind: 'stream_stall', for: '5s' }, found: ended('timed_out') },
  { fault: { kind: 'stream_error', type: 'server' }, found: ended('server_error') },
  { fault: { kind: 'stream_error', type: 'rate_limit' }, found: ended('rate_limited') },
  // The piece behind the first is that of the tag.
  { fault: { kind: 'stream_duplicate', afterEvents: 1 }, found: spoilt },
  { fault: { kind: 'stream_swap', afterEvents: 1 }, found: spoilt },
  { fault: { kind: 'stream_drop', afterEvents: 1 }, found: spoilt },
  { fault: { kind: 'stream_no_done' }, found: ({ stream }) => stream.missingDone, protocols: ['openai-chat'] },
  { fault: { kind: 'stream_buffered' }, found: buffered },
];

/** How often each fault was found beside how often the service says that it made it. Every session is one turn. */
export async function findFaults(bench: StreamBench): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { fault, found, protocols: seenIn = protocols } of cases)
    for (const protocol of seenIn) findings.push(await strike(bench, { fault, found, protocol }));
  return findings;
}

async function strike(
  { folder, scale, tell }: StreamBench,
  { fault, found, protocol }: FaultCase & { protocol: Protocol },
): Promise<Finding> {
  const faults = [{ ...fault, share: 0.05 }];
  const options = { ...service, stream: { pieces, gap: '5ms' as const }, faults };
  return withService({ folder, options }, async ({ baseUrl, stats }) => {
    const { result } = await play({ folder, baseUrl, scenario: scenarioOf(protocol, Math.ceil(10_000 * scale)) });
    const made = (await stats()).streams.faults[fault.kind];
    const name = 'type' in fault ? `${fault.kind} (${fault.type ?? ''})` : fault.kind;
    tell(`${protocol}, ${name}: ${String(found(result, protocol))} of ${String(made)}`);
    return {
      what: `${name} found, ${protocol}`,
      value: found(result, protocol),
      atLeast: Math.max(1, made),
      atMost: made,
    };
  });
}

const scenarioOf = (protocol: Protocol, turns: number): string =>
  `name: 'faults', messages: ['Where is my order {{session.number}}?'], turns: 1, sessions: ${String(turns)}, retry: 'none',
   integrity: true, stallTimeout: '1s', load: { concurrency: 32 },
   target: { agentId: 'bench', protocol: '${protocol}', stream: true }`;
