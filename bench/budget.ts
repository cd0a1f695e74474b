import type { Finding } from './finding.ts';
import { median } from './markdown.ts';
import type { SpeedRow } from './speed.ts';

/** What a whole turn may cost, as ratios to peers in the same sitting: ours over theirs. */
const budget: readonly { peer: string; key: 'turnsPerSecond' | 'cpuUsPerTurn'; atMost?: number; atLeast?: number }[] = [
  { peer: 'autocannon, fresh bodies', key: 'cpuUsPerTurn', atMost: 0.6 },
  { peer: 'autocannon, fresh bodies', key: 'turnsPerSecond', atLeast: 1.8 },
  { peer: 'wrk', key: 'cpuUsPerTurn', atMost: 2.2 },
  { peer: 'k6', key: 'cpuUsPerTurn', atMost: 0.2 },
];

/** How the budget was kept, by those of the peers that were measured. */
export function judgeBudget(rows: readonly SpeedRow[]): Finding[] {
  return budget.flatMap(({ peer, key, ...limits }) => {
    const ratios = rows.find(({ generator }) => generator.name === peer)?.ratios ?? [];
    if (ratios.length === 0) return [];
    const what = `${key === 'cpuUsPerTurn' ? 'CPU a turn' : 'turns/s'}, chat-load over ${peer}`;
    return [{ what, value: 1 / median(ratios.map((each) => each[key])), ...limits }];
  });
}
