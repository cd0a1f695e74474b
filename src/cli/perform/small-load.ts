import { meanOf, meanTurns } from '../../plan/distributions.ts';
import type { Plan } from '../../plan/plan.ts';
import { metricNamed } from '../../result/metrics/metrics.ts';

/** Turns beyond the minimum of a percentile: some fail, and sessions draw their numbers of turns. */
const reserve = 1.25;
const concurrency = 5;
const maxSessions = 300;
const maxThinkMs = 600_000;

type Length = { concurrency: number } & ({ sessions: number } | { duration: string });

/** Returns the length of a small load. It suffices for a p95 of the turns and, with few turns, for the gates, unless users think long. */
export function smallLoad({ gates, turns, thinkTime }: Pick<Plan, 'gates' | 'turns' | 'thinkTime'>): Length {
  const each = meanTurns(turns);
  const sessionsFor = (metrics: readonly string[]): number => {
    const needed = Math.max(...metrics.map((name) => metricNamed(name)?.minimum ?? 0));
    return Math.ceil((reserve * needed) / each);
  };
  const [usual, gated] = [sessionsFor(['turn.p95']), sessionsFor(['turn.p95', ...Object.keys(gates)])];
  const sessions = gated <= maxSessions ? gated : usual;
  const thinkMs = Math.ceil(sessions / concurrency) * (each - 1) * meanOf(thinkTime);
  return thinkMs > maxThinkMs ? { concurrency: 2, duration: '30s' } : { concurrency, sessions };
}
