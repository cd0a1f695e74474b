import type { Capacity } from '../document/capacity.ts';
import type { Step, StepFigures, StepPurpose } from '../document/step.ts';
import { summarizeCapacity } from '../words/summarize.ts';

/** A service with exponential service times, and its load. */
interface Service {
  places: number;
  serviceMs: number;
  thinkMs: number;
  /** Limit of turn.p95. */
  limitMs: number;
}

const turnsOfSession = 4;
const min = 1;
const max = 1000;
const tolerance = 0.1;

/**
 * The document of a search against a service whose figures are worked out (mean value analysis of a closed network), with
 * loads doubled, halved on a log scale and the ends confirmed: nothing in it is made to fit a report.
 */
export function sampleCapacity(service: Partial<Service> = {}, over: Partial<Capacity> = {}): Capacity {
  const asked = { places: 20, serviceMs: 300, thinkMs: 2000, limitMs: 2000, ...service };
  const steps: Step[] = [];
  const play = (load: number, purpose: StepPurpose): boolean => {
    const step = stepAt(asked, { number: steps.length + 1, load, purpose });
    steps.push(step);
    return step.verdict === 'holds';
  };
  let [low, high] = [0, min];
  while (high <= max && play(high, 'climb')) [low, high] = [high, high * 2];
  play(Math.max(1, Math.round(low / 4)), 'recover');
  while (high / low > 1 + tolerance && high - low > 1) {
    const between = Math.round(Math.sqrt(low * high));
    if (play(between, 'narrow')) low = between;
    else high = between;
  }
  play(low, 'confirm');
  play(high, 'confirm');
  const numbersAt = (load: number): number[] =>
    steps.filter((step) => step.load === load && step.purpose !== 'recover').map(({ number }) => number);
  const document = {
    ...head(asked),
    outcome: 'found' as const,
    holds: { load: low, steps: numbersAt(low) },
    broken: {
      load: high,
      steps: numbersAt(high),
      objective: 'turn.p95',
      reason: 'turn.p95 was over its limit, while the queue was steady',
      isSaturated: false,
    },
    ...derived(steps, low),
    steps,
    warnings: [],
  };
  const whole = { ...document, ...over };
  return { ...whole, summary: over.summary ?? summarizeCapacity(whole) };
}

function head({ limitMs }: Service) {
  return {
    kind: 'chat-load/capacity' as const,
    schemaVersion: 1 as const,
    toolVersion: '0.1.0',
    label: 'v1.4' as string | null,
    scenario: {
      name: 'peak',
      hash: 'a'.repeat(64),
      seed: 1,
      target: 'https://agent.example/',
      protocol: 'chat-messaging',
    },
    machine: 'a processor, 2 cores, 4 GB, x64, Linux 6, Node.js 22',
    startedAt: '2026-11-01T08:00:00.000Z',
    by: 'concurrency' as const,
    objectives: [
      { metric: 'turn.p95', condition: `< ${String(limitMs / 1000)}s`, unit: 'ms', limit: limitMs, isGuard: false },
      { metric: 'turns.failedShare', condition: '< 1%', unit: 'share', limit: 0.01, isGuard: false },
    ],
    bounds: {
      min,
      max,
      maxDurationMs: 1_800_000,
      maxTurns: null,
      maxSessions: null,
      maxCost: null,
      maxStepMs: 300_000,
      tolerance,
    },
  };
}

function derived(steps: readonly Step[], holding: number) {
  const at = steps.findLast(({ load }) => load === holding)?.figures;
  const power = ({ figures }: Step): number => (figures.turnsPerSecond ?? 0) / (figures.turnMeanMs ?? Infinity);
  const [knee] = steps.toSorted((a, b) => power(b) - power(a));
  const product = ((at?.sessionsPerSecond ?? 0) * (at?.sessionMeanMs ?? 0)) / 1000;
  const sessions = Math.round((at?.sessionsPerSecond ?? 0) * 36_000 * 0.8);
  const { number: afterStep = 1 } = steps.find(({ verdict }) => verdict === 'broken') ?? {};
  const recovery = steps.find(({ purpose }) => purpose === 'recover');
  return {
    knee: knee && {
      load: knee.load,
      turnsPerSecond: knee.figures.turnsPerSecond ?? 0,
      turnMeanMs: knee.figures.turnMeanMs ?? 0,
    },
    littlesLaw: { sessionsLive: at?.sessionsLive ?? 0, product, agrees: true },
    daily: {
      sessions,
      turns: sessions * turnsOfSession,
      rule: 'the busiest hour carries a tenth of a day, at 80 % of the capacity',
    },
    hysteresis: {
      recoveries: [{ afterStep, load: recovery?.load ?? 1, recoveredMs: 12_000 }],
      brokeWhereItHeld: [],
    },
    elapsedMs: steps.reduce((sum, { elapsedMs }) => sum + elapsedMs, 60_000),
    spent: {
      turns: steps.reduce((sum, { sent }) => sum + sent, 0),
      sessions: steps.reduce((sum, step) => sum + step.sessions, 0),
      cost: 0,
    },
  } as Pick<Capacity, 'knee' | 'littlesLaw' | 'daily' | 'hysteresis' | 'elapsedMs' | 'spent'>;
}

function stepAt(service: Service, { number, load, purpose }: Pick<Step, 'number' | 'load' | 'purpose'>): Step {
  const figures = figuresAt(service, load);
  const elapsedMs = purpose === 'climb' ? 20_000 : 60_000;
  const p95 = figures.turnP95Ms ?? 0;
  const verdict = p95 < service.limitMs ? 'holds' : 'broken';
  const sessions = Math.round(((figures.sessionsPerSecond ?? 0) * elapsedMs) / 1000);
  // Share of an exponential latency above the limit.
  const over = Math.exp(-service.limitMs / (figures.turnMeanMs ?? 1));
  return {
    number,
    load,
    purpose,
    verdict,
    reason: verdict === 'holds' ? 'every objective holds' : 'turn.p95 breaks',
    isSaturated: false,
    settledMs: 5000,
    elapsedMs,
    sent: sessions * turnsOfSession,
    sessions,
    objectives: [
      {
        metric: 'turn.p95',
        condition: `< ${String(service.limitMs / 1000)}s`,
        verdict,
        actual: p95,
        share: over,
        low: over * 0.8,
        high: over * 1.2,
        limit: 0.05,
      },
      {
        metric: 'turns.failedShare',
        condition: '< 1%',
        verdict: 'holds',
        actual: 0,
        share: 0,
        low: 0,
        high: 0.001,
        limit: 0.01,
      },
    ],
    figures,
  };
}

/** Mean value analysis: several slots count as one that is faster by their number, after a delay (Seidmann). */
function figuresAt({ places, serviceMs, thinkMs }: Service, load: number): StepFigures {
  const queueMs = serviceMs / places;
  const delayMs = serviceMs - queueMs;
  // There is no think time after the last turn.
  const thinkOfTurnMs = (thinkMs * (turnsOfSession - 1)) / turnsOfSession;
  let [queue, turnMeanMs, perMs] = [0, 0, 0];
  for (let sessions = 1; sessions <= load; sessions++) {
    const waitMs = queueMs * (1 + queue);
    turnMeanMs = waitMs + delayMs;
    perMs = sessions / (turnMeanMs + thinkOfTurnMs);
    queue = perMs * waitMs;
  }
  return {
    turnsPerSecond: perMs * 1000,
    sessionsPerSecond: (perMs * 1000) / turnsOfSession,
    turnP50Ms: turnMeanMs * Math.LN2,
    turnP95Ms: turnMeanMs * Math.log(20),
    turnMeanMs,
    sessionMeanMs: turnsOfSession * (turnMeanMs + thinkOfTurnMs),
    sessionsLive: load,
    turnsInFlight: perMs * turnMeanMs,
    failedShare: 0,
    amplification: 1,
    failedAttempts: {},
    failedCreations: {},
  };
}
