import { Budget } from './budgets.ts';
import { Caps } from './caps.ts';
import type { Fact, Note, RunPart } from './facts.ts';
import type { Given } from './given.ts';
import { RunEnd } from './run-end.ts';
import { Timeline } from './timeline.ts';
import { TurnPlaces } from './turn-places.ts';
import { Watch } from './watch.ts';

/** State shared by all sessions of a predicted run. */
export interface World {
  given: Given;
  timeline: Timeline;
  end: RunEnd;
  caps: Caps;
  /** Budgets, one per retry policy. */
  budgets: readonly Budget[];
  places: TurnPlaces;
  watch: Watch;
  facts: Fact[];
  stretches: RunPart[];
  note: Note;
  /** Number of requested creations so far. */
  creations: number;
}

export function openWorld(given: Given): World {
  const { plan } = given;
  const timeline = new Timeline();
  const end = new RunEnd(timeline, plan.gracePeriodMs);
  const facts: Fact[] = [];
  return {
    given,
    timeline,
    end,
    caps: new Caps(plan, end),
    budgets: plan.retry.map(({ budget }) => new Budget(budget)),
    places: new TurnPlaces(plan.load.maxTurnsInFlight),
    watch: new Watch(plan),
    facts,
    stretches: [],
    note: (what, { from, policy, at = timeline.now, value = 1 }) =>
      void facts.push({ what, at, toldAt: timeline.now, from, policy, value }),
    creations: 0,
  };
}
