import { failedClassNames } from '../../src/protocol/outcome.ts';
import type { LoadOptions, RetryPolicyOptions, Scenario } from '../../src/scenario/scenario.ts';
import type { FaultKind } from './service-model.ts';

/*
 * Numbers are chosen so that events coincide only where the semantics define the result (a session due at the very end of
 * the warm-up or of the duration): latencies have twenty binary digits, and stops happen at odd instants.
 */
const plain: RetryPolicyOptions = { maxAttempts: 3, base: 100, factor: 2, cap: 150, jitter: 'none' };
const patient: RetryPolicyOptions = { ...plain, maxAttempts: 4, base: 50, maxRetryAfter: '2s' };
const deaf: RetryPolicyOptions = { ...plain, base: 40, respectRetryAfter: false };
const tireless: RetryPolicyOptions = { ...plain, classes: failedClassNames };

/** Options of a run, by name. Every pair of levels of two factors occurs in some run. */
export const factors = {
  load: {
    closed: { concurrency: 3 },
    closedRamp: { concurrency: 4, rampUp: 900 },
    closedStages: {
      stages: [
        { duration: 1000, concurrency: 4 },
        { duration: 0, concurrency: 2 },
        { duration: 1500, concurrency: 2 },
        { duration: 1200.5, concurrency: 5 },
        { duration: 1500, concurrency: 1 },
      ],
    },
    open: { sessionsPerSecond: 6.25 },
    openWait: { sessionsPerSecond: 6.25, maxConcurrency: 1, whenFull: 'wait' },
    openDrop: { sessionsPerSecond: 6.25, maxConcurrency: 3, whenFull: 'drop' },
    poissonWait: { sessionsPerSecond: 6, arrivals: 'poisson', maxConcurrency: 2 },
    gammaDrop: { sessionsPerSecond: 5, arrivals: 'gamma', burstiness: 0.5, maxConcurrency: 3, whenFull: 'drop' },
    openStages: {
      stages: [
        { duration: 1500, sessionsPerSecond: 10 },
        { duration: 0, sessionsPerSecond: 3 },
        { duration: 2600, sessionsPerSecond: 3 },
        { duration: 1100, sessionsPerSecond: 6 },
      ],
      maxConcurrency: 5,
    },
  } satisfies Record<string, LoadOptions>,
  extent: {
    sessions: { sessions: 40 },
    duration: { duration: 6400 },
    sessionsFirst: { sessions: 30, duration: 6400 },
    durationFirst: { sessions: 200, duration: 3200 },
  } satisfies Record<string, Partial<Scenario>>,
  warmUp: {
    none: { warmUp: 0 },
    toADueInstant: { warmUp: 800 },
    between: { warmUp: 2345.5 },
    throughout: { warmUp: '1m' },
  } satisfies Record<string, Partial<Scenario>>,
  turns: {
    one: { turns: 1 },
    three: { turns: 3 },
    range: { turns: { min: 1, max: 5 } },
    long: { turns: { weights: { '2': 2, '9-18': 1 } } },
  } satisfies Record<string, Partial<Scenario>>,
  thinkTime: {
    none: { thinkTime: 0 },
    constant: { thinkTime: 70.25 },
    uniform: { thinkTime: { min: 0, max: 200 } },
    lognormal: { thinkTime: { median: 120, sigma: 0.5 } },
  } satisfies Record<string, Partial<Scenario>>,
  retry: {
    none: { none: 'none' },
    plain: { plain },
    patient: { patient },
    deaf: { deaf },
    tireless: { tireless },
    two: { plain, none: 'none' },
    three: { deaf, tireless, patient },
  } satisfies Record<string, Record<string, RetryPolicyOptions | 'none'>>,
  budget: {
    none: undefined,
    longWindow: { share: 0.2, window: '1m' },
    shortWindow: { share: 0.34, window: '1s' },
  } satisfies Record<string, RetryPolicyOptions['budget']>,
  cap: {
    none: {},
    turns: { maxTurns: 80 },
    sessions: { maxSessions: 25 },
    cost: { maxCost: 8, cost: (data) => Number(data['cost']) },
  } satisfies Record<string, Partial<Scenario>>,
  onFailedTurn: {
    stop: { onFailedTurn: 'stop' },
    continue: { onFailedTurn: 'continue' },
  } satisfies Record<string, Partial<Scenario>>,
  grace: {
    none: { gracePeriod: 0 },
    short: { gracePeriod: 350.0625 },
    long: { gracePeriod: 2500.0625 },
  } satisfies Record<string, Partial<Scenario>>,
  stopRule: {
    none: {},
    noSuccess: { stopWhen: { noSuccess: 1000 } },
    targetGone: { stopWhen: { targetGone: 800 } },
    gate: { gates: { 'turns.failedShare': { gate: '< 5%', abort: true, after: '500ms' } } },
    maxDuration: { maxDuration: 3900.0625 },
  } satisfies Record<string, Partial<Scenario>>,
  faults: {
    none: 'none',
    errors: 'errors',
    throttling: 'throttling',
    transport: 'transport',
    contract: 'contract',
    creations: 'creations',
    storm: 'storm',
    gone: 'gone',
    refusedMessages: 'refusedMessages',
    refusedCreations: 'refusedCreations',
    unfitForCreations: 'unfitForCreations',
    unfitForMessages: 'unfitForMessages',
  } satisfies Record<string, FaultKind>,
  signals: {
    none: { drainAt: Infinity, cutAt: Infinity },
    drain: { drainAt: 5317.28125, cutAt: Infinity },
    drainThenCut: { drainAt: 5317.28125, cutAt: 5431.71875 },
    cut: { drainAt: Infinity, cutAt: 5607.65625 },
  } satisfies Record<string, Signals>,
  turnsInFlight: {
    any: {},
    two: { maxTurnsInFlight: 2 },
  } satisfies Record<string, LoadOptions>,
  objective: {
    none: {},
    given: { objective: 170 },
  } satisfies Record<string, Partial<Scenario>>,
  repeat: { once: 1, twice: 2 },
  /** The part of the run after which it is killed. */
  killed: { never: 1, early: 0.4, late: 0.8 },
};

/** Instants of the two signals, in milliseconds since the run's start. */
export interface Signals {
  drainAt: number;
  cutAt: number;
}

type Factors = typeof factors;
/** Selects one level of every factor. */
export type Row = { [Factor in keyof Factors]: keyof Factors[Factor] };
