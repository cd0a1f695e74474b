import type { Finding } from './finding.ts';
import { median } from './markdown.ts';
import type { SpeedRow } from './speed.ts';

/**
 * Bounds on the cost of a whole turn, as ratios to peers measured in the same run: chat-load's value divided by the
 * peer's. Programs in C (wrk) are listed without a bound, because the ratio to them depends on the processor.
 */
const budget: readonly { peer: string; key: 'turnsPerSecond' | 'cpuUsPerTurn'; atMost?: number; atLeast?: number }[] = [
  { peer: 'autocannon, fresh bodies', key: 'cpuUsPerTurn', atMost: 0.6 },
  { peer: 'autocannon, fresh bodies', key: 'turnsPerSecond', atLeast: 1.8 },
  { peer: 'bare Node.js sockets', key: 'cpuUsPerTurn', atMost: 1.75 },
  { peer: 'k6', key: 'cpuUsPerTurn', atMost: 0.2 },
];

/** Judges the budget against the measured peers. */
export function judgeBudget(rows: readonly SpeedRow[]): Finding[] {
  return budget.flatMap(({ peer, key, ...limits }) => {
    const ratios = rows.find(({ generator }) => generator.name === peer)?.ratios ?? [];
    if (ratios.length === 0) return [];
    const what = `${key === 'cpuUsPerTurn' ? 'CPU per turn' : 'turns/s'}, chat-load over ${peer}`;
    return [{ what, value: 1 / median(ratios.map((each) => each[key])), ...limits }];
  });
}
