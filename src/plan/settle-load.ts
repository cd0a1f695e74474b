import { ms, type Ms } from '../base/time.ts';
import { isOpenLoad, type ReadLoad } from '../scenario/load-options.ts';
import type { Load, Segment } from './plan.ts';

const defaultConcurrency = 10;

/** Turns the author's load into levels over time. Levels are sessions at a time (closed) or per second (open). */
export function settleLoad(load: ReadLoad): Load {
  const maxTurnsInFlight = load.maxTurnsInFlight ?? null;
  const segments = segmentsOf(load);
  if (!isOpenLoad(load)) return { model: 'closed', segments, maxTurnsInFlight };
  return {
    model: 'open',
    segments,
    arrivals: arrivalsOf(load),
    maxConcurrency: load.maxConcurrency ?? null,
    whenFull: load.whenFull ?? 'wait',
    maxTurnsInFlight,
  };
}

function arrivalsOf(load: ReadLoad): { kind: 'constant' } | { kind: 'gamma'; burstiness: number } {
  const kind = load.arrivals ?? 'constant';
  return kind === 'constant' ? { kind } : { kind: 'gamma', burstiness: load.burstiness ?? 1 };
}

function segmentsOf(load: ReadLoad): Segment[] {
  const stages = load.stages?.map((stage) => ({
    durationMs: stage.duration,
    level: stage.concurrency ?? stage.sessionsPerSecond ?? 0,
  }));
  const level = load.concurrency ?? load.sessionsPerSecond ?? defaultConcurrency;
  return joinStages(stages ?? [{ durationMs: load.rampUp ?? ms(0), level }]);
}

/** Lays stages end to end, and holds the last level until the run ends. */
function joinStages(stages: readonly { durationMs: Ms; level: number }[]): Segment[] {
  const segments: Segment[] = [];
  let startMs = 0;
  let from = 0;
  for (const { durationMs, level } of stages) {
    const endMs = startMs + durationMs;
    if (durationMs > 0) segments.push({ startMs: ms(startMs), endMs: ms(endMs), from, to: level });
    startMs = endMs;
    from = level;
  }
  return [...segments, { startMs: ms(startMs), endMs: null, from, to: from }];
}

/** How long the stages of a load last together; `undefined` for a load without stages. */
export function stagesLength(load: ReadLoad): Ms | undefined {
  return load.stages && ms(load.stages.reduce((sum, stage) => sum + stage.duration, 0));
}
