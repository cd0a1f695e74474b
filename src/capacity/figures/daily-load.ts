import type { Capacity } from '../document/capacity.ts';
import type { StepFigures } from '../document/step.ts';

/** The share of a day's load that comes in its busiest hour, and how much of the capacity that hour may use. */
const busiestHour = 0.1;
const used = 0.8;

const rule = `a tenth of a day’s load comes in its busiest hour, which uses at most ${String(used * 100)} % of what holds`;

/** The load of a day that leaves room at its busiest hour, at the pace of a step that holds; `null`: too few sessions ended in it. */
export function dailyLoad({ sessionsPerSecond, turnsPerSecond }: StepFigures): Capacity['daily'] {
  if (sessionsPerSecond === null || turnsPerSecond === null || sessionsPerSecond === 0) return null;
  const perDay = (perSecond: number): number => Math.floor((perSecond * 3600 * used) / busiestHour);
  return { sessions: perDay(sessionsPerSecond), turns: perDay(turnsPerSecond), rule };
}
