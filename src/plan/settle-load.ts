import { ms, type Ms } from '../base/time.ts';
import { anyLoadShape, isOpenLoad, loadShape, openLoadShape, type ReadLoad } from '../scenario/load-options.ts';
import { orDefault } from '../scenario/option.ts';
import type { Load, Segment, TracePlan } from './plan.ts';
import { plannedValues } from './planned-options.ts';

/** Turns the author's load into levels over time. Levels are sessions at a time (closed) or per second (open). */
export function settleLoad(load: ReadLoad, replayed?: { segments: Segment[]; plan: TracePlan }): Load {
  const segments = replayed?.segments ?? segmentsOf(load);
  const any = plannedValues(anyLoadShape, load);
  if (!isOpenLoad(load)) return { model: 'closed', segments, ...any };
  return {
    model: 'open',
    segments,
    arrivals: arrivalsOf(load),
    ...(replayed && { trace: replayed.plan }),
    ...plannedValues(openLoadShape, load),
    ...any,
  };
}

function arrivalsOf(load: ReadLoad): { kind: 'constant' } | { kind: 'gamma'; burstiness: number } {
  const kind = orDefault(loadShape.arrivals, load.arrivals);
  return kind === 'constant' ? { kind } : { kind: 'gamma', burstiness: load.burstiness ?? 1 };
}

function segmentsOf(load: ReadLoad): Segment[] {
  const stages = load.stages?.map((stage) => ({
    durationMs: stage.duration,
    level: stage.concurrency ?? stage.sessionsPerSecond ?? 0,
  }));
  const level = load.sessionsPerSecond ?? orDefault(loadShape.concurrency, load.concurrency);
  return joinStages(stages ?? [{ durationMs: orDefault(loadShape.rampUp, load.rampUp), level }]);
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
