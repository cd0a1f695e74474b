import type { Result } from '../../src/result/result.ts';
import type { Finding } from '../finding.ts';
import { observe } from '../truth/observe.ts';

/** One of the seven cases of vLLM#54101: requests at a rate, a bound on requests in flight, a constant service time. */
interface Case {
  requests: number;
  /** Requests per second; `Infinity`: all at once. */
  rate: number;
  bound: number | undefined;
  serviceMs: number;
}

const cases: readonly Case[] = [
  { requests: 8, rate: 10, bound: undefined, serviceMs: 500 },
  { requests: 8, rate: 10, bound: 1, serviceMs: 500 },
  { requests: 40, rate: 20, bound: 8, serviceMs: 190 },
  { requests: 40, rate: 40, bound: undefined, serviceMs: 190 },
  { requests: 40, rate: 40, bound: 4, serviceMs: 190 },
  { requests: 40, rate: Infinity, bound: undefined, serviceMs: 190 },
  { requests: 40, rate: Infinity, bound: 4, serviceMs: 190 },
];

/** Computes the delay of every request before it can be sent. */
function delaysOf({ requests, rate, bound = Infinity, serviceMs }: Case): number[] {
  const ends: number[] = [];
  return Array.from({ length: requests }, (_, at) => {
    const due = rate === Infinity ? 0 : (at * 1000) / rate;
    const start = Math.max(due, at < bound ? due : (ends[at - bound] ?? 0));
    ends.push(start + serviceMs);
    return start - due;
  });
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns the source of a scenario with one-turn sessions, in a protocol without session creation. */
const scenarioOf = ({ requests, rate, bound }: Omit<Case, 'serviceMs'>): string =>
  `{ name: 'dispatch', messages: ['Hi'], turns: 1, sessions: ${String(requests)}, retry: 'none', integrity: false,
     target: { protocol: 'openai-chat' },
     load: { sessionsPerSecond: ${String(Math.min(rate, 1e6))}${bound === undefined ? '' : `, maxConcurrency: ${String(bound)}`} } }`;

/** Limits a measured figure to within 2 % or 20 ms of its computed value. */
function near(what: string, known: number, measured: number | null): Finding {
  const allowed = Math.max(20, 0.02 * known);
  return { what, value: measured ?? NaN, unit: 'ms', atLeast: Math.max(0, known - allowed), atMost: known + allowed };
}

/** Runs the seven cases of vLLM#54101 over sockets. */
export async function measureDispatch(report: (text: string) => void): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [at, each] of cases.entries()) {
    const delays = delaysOf(each);
    const { result } = await observe({ kind: 'constant', ms: each.serviceMs }, scenarioOf(each));
    const { effective, turn } = result.latency;
    const name = `vLLM#54101, case ${String(at + 1)}`;
    report(name);
    findings.push(
      near(`${name}: mean delay`, meanOf(delays), (effective.meanMs ?? NaN) - (turn.meanMs ?? NaN)),
      near(`${name}: mean from the schedule`, meanOf(delays) + each.serviceMs, effective.meanMs),
      near(`${name}: maximum from the schedule`, Math.max(...delays) + each.serviceMs, effective.maxMs),
      near(`${name}: mean of the service alone`, each.serviceMs, turn.meanMs),
    );
  }
  return findings;
}

/**
 * Counts turns whose effective latency is not their lateness plus their latency (GuideLLM#1048). Fewer than one request
 * per second is sent, and the next only after the reply, so that an interval of the result contains at most one of them.
 */
export async function measureIdentity(): Promise<Finding[]> {
  const each = { requests: 20, rate: 0.8, bound: 1, serviceMs: 1600 };
  const { result } = await observe({ kind: 'constant', ms: each.serviceMs }, scenarioOf(each));
  // Lateness is in the interval of the send, latency in the interval of the end: the nth value of each is the nth turn's.
  const [sessionLate, late, turn, effective] = (
    ['sessionLateness', 'lateness', 'turn.ok', 'effective.ok'] as const
  ).map((name) => singlesOf(result, name));
  const broken = (turn ?? []).filter((turnMs, at) => {
    const sum = turnMs + (late?.[at] ?? NaN) + (sessionLate?.[at] ?? NaN);
    return !(Math.abs((effective?.[at] ?? NaN) - sum) <= 0.0021);
  });
  const count = turn?.length ?? 0;
  return [
    { what: 'GuideLLM#1048: turns compared individually', value: count, atLeast: each.requests, atMost: each.requests },
    { what: 'GuideLLM#1048: turns whose effective latency is not lateness + latency', value: broken.length, atMost: 0 },
    {
      what: 'GuideLLM#1048: maximum lateness among them',
      value: Math.max(...(sessionLate ?? [])),
      unit: 'ms',
      atLeast: 6000,
    },
  ];
}

/** Returns the values of a series that has at most one value in an interval, in order. */
function singlesOf({ intervals }: Result, name: keyof Result['intervals'][number]['latency']): number[] {
  const found = intervals.flatMap(({ latency }) => latency[name] ?? []);
  return found.map(({ count, sumMs }) => (count === 1 ? sumMs : NaN));
}
