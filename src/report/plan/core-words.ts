import type { CoreNeeds } from '../../plan/core-needs.ts';
import { formatCount, formatRate } from '../words/format.ts';

/** How many processes a load wants, why, and the flag that gives it more than one: `3 (...): run --cores 3`. */
export function coresText(needs: CoreNeeds): string {
  const { cores, measured } = needs;
  const seen = `(${reasonText(needs)})`;
  if (cores === 1) return `1 ${seen}`;
  const text =
    cores === null
      ? `unknown beforehand: the service sets the pace ${seen}`
      : `${String(cores)} ${seen}: run --cores ${String(cores)}, or --fleet on several machines`;
  return measured ? text : `${text}; chat-load probe measures it here`;
}

function reasonText({ by, cores, measured, processTurnsPerSecond, processTurnsInFlight }: CoreNeeds): string {
  if (by === 'turnsInFlight') return `one process keeps some ${formatCount(processTurnsInFlight)} turns in flight`;
  const sends = `one process sends some ${formatRate(Number(processTurnsPerSecond.toPrecision(2)), 'turn')}`;
  const room = cores !== null && cores > 1 ? ', a quarter of it left as room' : '';
  return `${sends}${measured ? ' here' : ''}${room}`;
}
