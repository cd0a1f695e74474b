import type { Foreseen } from './facts.ts';
import type { Given } from './given.ts';
import { closedLoad, openLoad, type Starter } from './load.ts';
import { openWorld, type World } from './world.ts';

/**
 * Predicts every session, turn and attempt of a run against a service with a distribution, from the semantics alone and
 * event by event. It shares only the plan and the draws of sessions from the seed with the code under test.
 */
export function foresee(given: Given): Foreseen {
  const world = openWorld(given);
  const starter = given.plan.load.model === 'open' ? openLoad(world) : closedLoad(world);
  setEnds(world);
  starter.begin();
  world.timeline.run(() => world.end.isDrained && starter.live() === 0);
  const unusable = world.watch.runEnded();
  if (unusable !== null) world.end.because(unusable);
  countUnstarted(world, starter);
  const { facts, stretches, timeline, end } = world;
  return {
    facts,
    stretches,
    endedAt: timeline.now,
    drainedAt: end.drainedAt,
    haltedAt: end.haltedAt,
    cutAt: end.cutAt,
    stop: end.stop,
  };
}

/** Everything that may end the run from outside. */
function setEnds({ given: { plan, signals }, timeline, end, watch, facts }: World): void {
  timeline.at(plan.durationMs ?? Infinity, () => end.beginGrace());
  timeline.at(plan.maxDurationMs ?? Infinity, () => {
    // A run in its grace period ends with it.
    if (!end.isInGrace) end.because('max_duration').beginGrace();
  });
  timeline.at(signals.drainAt, () => end.because('signal').beginGrace());
  timeline.at(signals.cutAt, () => end.because('signal').cut());
  const look = (): void => {
    const stop = watch.judge(timeline.now, facts);
    if (stop !== null) end.because(stop).halt();
    timeline.at(timeline.now + 1000, look);
  };
  timeline.at(1000, look);
}

/** Sessions that never started: each counts at its own due instant, or at the run's end if that is earlier. */
function countUnstarted({ given: { plan }, timeline, note }: World, starter: Starter): void {
  const { count, overdue } = starter.dealt();
  const planned = plan.sessions ?? count + overdue.length;
  for (let number = count + 1; number <= planned; number++) {
    const due = overdue[number - count - 1];
    const policy = (number - 1) % plan.retry.length;
    const at = due ?? timeline.now;
    note('session.not_started', { from: at, at, policy });
    if (due !== undefined) note('session.not_started_due', { from: at, at, policy });
  }
}
