import { z } from 'zod';
import { closedObject } from './closed-object.ts';
import { duration } from './duration.ts';
import { assumed, noted, option, unsetIt } from './option.ts';
import { traceShape } from './trace-options.ts';

const concurrency = z.int().min(0).max(1_000_000);
const rate = z.number().min(0).max(1_000_000);

export const stageShape = {
  duration: noted(duration, { meaning: 'Duration of the stage; 0 jumps to its level.', required: true }),
  concurrency: option(concurrency, {
    meaning: 'Closed load: concurrent sessions at the end of the stage. A stage has this or `sessionsPerSecond`.',
    unit: 'sessions',
  }),
  sessionsPerSecond: option(rate, {
    meaning: 'Open load: sessions started per second at the end of the stage. A stage has this or `concurrency`.',
    unit: 'sessions/s',
  }),
};
const stage = closedObject(stageShape).refine(
  (value) => (value.concurrency === undefined) !== (value.sessionsPerSecond === undefined),
  {
    message: 'a stage has either concurrency (closed load) or sessionsPerSecond (open load)',
  },
);

/** Options of open load only. */
export const openLoadShape = {
  arrivals: assumed(z.enum(['constant', 'poisson', 'gamma']), {
    meaning:
      'Open load: distribution of the start instants. Gamma gaps have a coefficient of variation of 1/sqrt(burstiness).',
    default: 'constant',
  }),
  burstiness: option(z.number().gt(0).max(1e6), {
    meaning: 'Shape k of gamma arrivals: below 1 is burstier than Poisson, above 1 more regular.',
  }),
  maxConcurrency: option(z.int().min(1), {
    meaning: 'Open load: maximum number of live sessions.',
    without: 'unlimited',
    unit: 'sessions',
    plan: 'maxConcurrency',
  }),
  whenFull: assumed(z.enum(['wait', 'drop']), {
    meaning:
      'Open load: handling of a session that is due while `maxConcurrency` sessions are live. Dropped sessions degrade a run; the run is invalid if fewer than 95 % of the due sessions were started.',
    default: 'wait',
    plan: 'whenFull',
  }),
};

/** Options of either model that are in the plan next to its levels. */
export const anyLoadShape = {
  maxTurnsInFlight: option(z.int().min(1), {
    meaning: 'Maximum number of turns in flight, independent of live sessions.',
    without: 'unlimited',
    unit: 'turns',
    plan: 'maxTurnsInFlight',
  }),
};

export const loadShape = {
  concurrency: assumed(concurrency.min(1), {
    meaning: 'Closed load: concurrent sessions; the next one starts when one ends.',
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
    meaning: 'Time over which the level rises linearly from 0.',
    default: '0s',
  }),
  stages: option(z.array(stage).min(1), {
    type: 'readonly Stage[]',
    meaning:
      'Levels in sequence: each ramps linearly from the previous level (initially 0) to its own over its duration; all closed or all open.',
  }),
  ...openLoadShape,
  ...anyLoadShape,
  ...traceShape,
};

/** The schema of `load`; an option of the other model is an error, never ignored. */
export const loadOptions = closedObject(loadShape).superRefine((load, context) => {
  const refuse = (key: string, message: string): void => {
    context.addIssue({ code: 'custom', path: [key], message });
  };
  const [model, ...others] = modelKeys.filter((key) => load[key] !== undefined);
  if (model !== undefined && others.length > 0)
    refuse(
      model,
      `cannot be combined with load.${others.join(' and load.')}: keep concurrency for closed load, sessionsPerSecond (--rate) for open load, or stages of either`,
    );
  if (load.trace !== undefined) {
    for (const key of untracedKeys) if (load[key] !== undefined) refuse(key, `${key} ${besideTrace}`);
    return;
  }
  for (const key of traceKeys) if (load[key] !== undefined) refuse(key, `${key} requires a trace (load.trace)`);
  if (load.stages !== undefined && load.rampUp !== undefined) refuse('rampUp', 'stages already ramp: omit rampUp');
  const isOpen = isOpenLoad(load);
  if (load.stages?.some((each) => (each.sessionsPerSecond !== undefined) !== isOpen))
    refuse('stages', 'stages must be all closed (concurrency) or all open (sessionsPerSecond)');
  for (const key of openLoadKeys)
    if (!isOpen && load[key] !== undefined) refuse(key, `${key} requires open load (sessionsPerSecond)`);
  if ((load.arrivals === 'gamma') !== (load.burstiness !== undefined))
    refuse('burstiness', "burstiness and arrivals: 'gamma' require each other");
});

const modelKeys = ['concurrency', 'sessionsPerSecond', 'stages'] as const;
/** Options that a trace replaces. */
const untracedKeys = ['concurrency', 'sessionsPerSecond', 'stages', 'rampUp', 'arrivals', 'burstiness'] as const;
const besideTrace = 'cannot be combined with a trace, which sets the start times: use speed to scale them';
const traceKeys = Object.keys(traceShape) as (keyof typeof traceShape)[];

/** Options that only apply to open load. */
export const openLoadKeys = Object.keys(openLoadShape) as (keyof typeof openLoadShape)[];

export type ReadLoad = z.output<typeof loadOptions>;

/** Reports whether the load is open: sessions start at scheduled instants, not when others end. */
export function isOpenLoad(load: ReadLoad): boolean {
  if (load.trace !== undefined || load.sessionsPerSecond !== undefined) return true;
  return load.stages?.[0]?.sessionsPerSecond !== undefined;
}
