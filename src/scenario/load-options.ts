import { z } from 'zod';
import { closedObject } from './closed-object.ts';
import { duration } from './duration.ts';
import { assumed, noted, option, unsetIt } from './option.ts';
import { traceShape } from './trace-options.ts';

const concurrency = z.int().min(0).max(1_000_000);
const rate = z.number().min(0).max(1_000_000);

export const stageShape = {
  duration: noted(duration, { meaning: 'How long the stage lasts; 0 jumps to its level.', required: true }),
  concurrency: option(concurrency, {
    meaning: 'Closed load: sessions at a time at its end. A stage has this or `sessionsPerSecond`.',
    unit: 'sessions',
  }),
  sessionsPerSecond: option(rate, {
    meaning: 'Open load: sessions started per second at its end. A stage has this or `concurrency`.',
    unit: 'sessions/s',
  }),
};
const stage = closedObject(stageShape).refine(
  (value) => (value.concurrency === undefined) !== (value.sessionsPerSecond === undefined),
  {
    message: 'a stage has either concurrency (closed load) or sessionsPerSecond (open load)',
  },
);

/** The options of open load alone. */
export const openLoadShape = {
  arrivals: assumed(z.enum(['constant', 'poisson', 'gamma']), {
    meaning:
      'Open load: how start instants are spread. Gamma gaps have a coefficient of variation of 1/sqrt(burstiness).',
    default: 'constant',
  }),
  burstiness: option(z.number().gt(0).max(1e6), {
    meaning: 'The k of gamma arrivals: below 1 is burstier than Poisson, above 1 more even.',
  }),
  maxConcurrency: option(z.int().min(1), {
    meaning: 'Open load: the most sessions that may be live.',
    without: 'no bound',
    unit: 'sessions',
    plan: 'maxConcurrency',
  }),
  whenFull: assumed(z.enum(['wait', 'drop']), {
    meaning:
      'Open load: what happens to a session that is due while `maxConcurrency` sessions are live. Dropped sessions degrade a run; it is invalid when fewer than 95 % of those due were started.',
    default: 'wait',
    plan: 'whenFull',
  }),
};

/** The options of either model that are in the plan beside its levels. */
export const anyLoadShape = {
  maxTurnsInFlight: option(z.int().min(1), {
    meaning: 'The most turns that may be in flight, apart from live sessions.',
    without: 'no bound',
    unit: 'turns',
    plan: 'maxTurnsInFlight',
  }),
};

export const loadShape = {
  concurrency: assumed(concurrency.min(1), {
    meaning: 'Closed load: sessions at a time; the next one starts when one ends.',
    default: 10,
    unit: 'sessions',
    flag: 'concurrency',
    ifEmpty: unsetIt,
    takes: 'number',
  }),
  sessionsPerSecond: option(rate.gt(0), {
    meaning: 'Open load: sessions started per second; fractions allowed.',
    unit: 'sessions/s',
    flag: 'rate',
    ifEmpty: unsetIt,
    takes: 'number',
  }),
  rampUp: assumed(duration, {
    meaning: 'The level rises linearly from 0 over this time.',
    default: '0s',
  }),
  stages: option(z.array(stage).min(1), {
    type: 'readonly Stage[]',
    meaning:
      'Levels in sequence: each runs linearly from the level before (at first 0) to its own over its duration; all closed or all open.',
  }),
  ...openLoadShape,
  ...anyLoadShape,
  ...traceShape,
};

/** The schema of `load`; an option of the other model is an error, never ignored. */
export const loadOptions = closedObject(loadShape).superRefine((load, context) => {
  const refuse = (key: string | undefined, message: string): void => {
    context.addIssue({ code: 'custom', path: key === undefined ? [] : [key], message });
  };
  const models = [load.concurrency, load.sessionsPerSecond, load.stages].filter((given) => given !== undefined);
  if (models.length > 1)
    refuse(undefined, 'give one of concurrency (closed load), sessionsPerSecond (open load) and stages');
  if (load.trace !== undefined) {
    for (const key of untracedKeys) if (load[key] !== undefined) refuse(key, `${key} ${besideTrace}`);
    return;
  }
  for (const key of traceKeys) if (load[key] !== undefined) refuse(key, `${key} belongs to a trace`);
  if (load.stages !== undefined && load.rampUp !== undefined)
    refuse('rampUp', 'stages ramp by themselves: leave rampUp out');
  const isOpen = isOpenLoad(load);
  if (load.stages?.some((each) => (each.sessionsPerSecond !== undefined) !== isOpen))
    refuse('stages', 'all stages are closed (concurrency) or all are open (sessionsPerSecond)');
  for (const key of openLoadKeys)
    if (!isOpen && load[key] !== undefined) refuse(key, `${key} belongs to open load (sessionsPerSecond)`);
  if ((load.arrivals === 'gamma') !== (load.burstiness !== undefined))
    refuse('burstiness', "burstiness goes with arrivals: 'gamma', and gamma needs it");
});

/** What a trace says itself. */
const untracedKeys = ['concurrency', 'sessionsPerSecond', 'stages', 'rampUp', 'arrivals', 'burstiness'] as const;
const besideTrace = 'does not go with a trace, which says when sessions start: speed makes it faster or slower';
const traceKeys = Object.keys(traceShape) as (keyof typeof traceShape)[];

/** What applies to open load only. */
export const openLoadKeys = Object.keys(openLoadShape) as (keyof typeof openLoadShape)[];

export type ReadLoad = z.output<typeof loadOptions>;

/** Whether the load is open: sessions start at scheduled instants, not when others end. */
export function isOpenLoad(load: ReadLoad): boolean {
  if (load.trace !== undefined || load.sessionsPerSecond !== undefined) return true;
  return load.stages?.[0]?.sessionsPerSecond !== undefined;
}
