import type { Result } from '../../../../result/result.ts';
import { levelText } from '../../../plan/plan-words.ts';
import { formatNumber } from '../../../words/format.ts';
import type { Mark } from '../../page.ts';
import { roundedMs } from '../../drawn-numbers.ts';

type Timed = Pick<Result, 'run' | 'scenario'>;

/** What happened to a run, on its time axis: warm-up, ramps, what stopped it, and its drain. */
export function marksOf(result: Timed): Mark[] {
  const { durationMs } = result.run;
  return [...warmUp(result), ...ramps(result), ...stop(result), ...drain(result)]
    .filter(({ atMs }) => atMs <= durationMs)
    .map((mark) => ({
      ...mark,
      atMs: roundedMs(mark.atMs),
      untilMs: mark.untilMs === null ? null : roundedMs(Math.min(mark.untilMs, durationMs)),
    }));
}

function warmUp({ scenario: { plan } }: Timed): Mark[] {
  if (plan.warmUpMs === 0) return [];
  return [{ kind: 'warm_up', atMs: 0, untilMs: plan.warmUpMs, label: 'warm-up: in no published figure' }];
}

function ramps({ scenario: { plan } }: Timed): Mark[] {
  return plan.load.segments.flatMap(({ startMs, endMs, from, to }) => {
    if (from === to || endMs === null) return [];
    const label = `ramp from ${formatNumber(from)} to ${levelText(to, plan.load)}`;
    return [{ kind: 'ramp' as const, atMs: startMs, untilMs: endMs, label }];
  });
}

function stop({ run }: Timed): Mark[] {
  if (run.stop === null || run.stop.atMs === null) return [];
  const { kind, reason, atMs } = run.stop;
  return [{ kind: kind === 'gate' ? 'gate' : 'stop', atMs, untilMs: null, label: reason }];
}

/** From when no session starts any more, where that is known: the end of the planned duration, or what stopped the run. */
function drain({ run, scenario: { plan } }: Timed): Mark[] {
  const fromMs = run.stop === null ? plan.durationMs : run.stop.atMs;
  if (fromMs === null || fromMs >= run.durationMs) return [];
  return [{ kind: 'drain', atMs: fromMs, untilMs: run.durationMs, label: 'drain: no session starts any more' }];
}
