import type { SearchOutcome } from '../document/capacity.ts';
import type { Step } from '../document/step.ts';
import type { Certainty } from '../judge/certainty.ts';
import { poolSteps, type JudgedWindow } from '../judge/judge-objective.ts';
import { StepJudge, type JudgeSettings, type StepJudgement } from '../judge/step-judge.ts';
import type { PlayedStep, StepOrder, StepPlayer } from '../judge/player.ts';
import type { Recovery, SearchSettings, Shown, StepRequest } from './search.ts';

export class SearchEnded extends Error {
  readonly outcome: SearchOutcome;
  readonly recovery: Recovery | null;

  constructor(outcome: SearchOutcome, reason: string, recovery: Recovery | null = null) {
    super(reason);
    [this.outcome, this.recovery] = [outcome, recovery];
  }
}

const minStepMs = 2000;
/** Minimum effort of an answer, from experience: a time, a number of turns, and a number of turn cycles. */
const usual = { ms: 210_000, turns: 16_000, cycles: 1200 };
/** Number of session durations by which the default time budget is extended. */
const minSessions = 20;
/** Maximum duration of a step as a share of the search: quick steps guide it, four full ones show the ends. */
const maxParts = { probe: 0.05, quick: 0.03, full: 0.32 };
/** Duration that every step may have: in sessions, and in milliseconds. */
const minStepSessions = 3;
const minCapMs = { probe: 10_000, quick: 5000, full: 15_000 };
/** Turns of a probe, and its duration in turn cycles; fewer turns suffice after a sixtieth of the search. */
const probe = { turns: 20, cycles: 2, ms: 2000, fewTurns: 3, part: 1 / 60 };

export class StepRunner {
  readonly shown: Shown[] = [];
  readonly spent = { turns: 0, sessions: 0, cost: 0 };
  /** Possibly sent by lost processes. */
  readonly #unseen = { turns: 0, sessions: 0 };
  readonly #settings: SearchSettings;
  readonly #player: StepPlayer;
  #patience = 1;
  readonly #onStep: (step: Step) => void;
  /** Lowest load that the generator could not send, and the reason. */
  ceiling: { load: number; why: string } = { load: Infinity, why: '' };

  constructor(settings: SearchSettings, player: StepPlayer, onStep: (step: Step) => void) {
    this.#settings = settings;
    this.#player = player;
    this.#onStep = onStep;
  }

  elapsedMs(): number {
    return this.#player.elapsedMs();
  }

  get fullMs(): number {
    return Math.min(this.#settings.maxStepMs, this.#capMs('full'));
  }

  get fullTurns(): number {
    return (this.fullMs / 1000) * this.#turnsPerSecond();
  }

  /** Allows steps twice as long. Returns `false` if they already have the maximum duration. */
  extend(): boolean {
    const before = this.fullMs;
    this.#patience *= 2;
    return this.fullMs > before;
  }

  async rest(times = 1): Promise<void> {
    await this.#player.rest(Math.min(times * this.#settings.restMs, this.#leftMs()));
  }

  /** Throws `SearchEnded` when a bound is reached or the player ends the search. */
  async play({ load, by = this.#settings.by, purpose, certainty, isRough = false }: StepRequest): Promise<Step> {
    const order = { number: this.shown.length + 1, load, by, purpose, ...this.#leftFor(certainty, load) };
    const { objectives } = this.#settings;
    const isEnough = certainty === 'probe' ? this.#probed() : undefined;
    const judge = new StepJudge({
      objectives,
      certainty,
      isOpen: by === 'rate',
      maxMs: order.maxMs,
      isEnough,
      isRough,
    });
    const played = await this.#player.play(order, judge);
    const asked = { load, ...(by === this.#settings.by ? {} : { by }), purpose, number: order.number };
    const step = stepOf(asked, judge, played);
    this.spent.turns += played.sent;
    this.spent.sessions += played.sessions;
    this.spent.cost += played.cost;
    this.#unseen.turns += played.unseen?.turns ?? 0;
    this.#unseen.sessions += played.unseen?.sessions ?? 0;
    const isOfUnit = step.by === undefined;
    if (played.generatorLimit !== null && isOfUnit && load < this.ceiling.load && this.#isSpoiltAgain(load)) {
      const { message, remedy } = played.generatorLimit;
      this.ceiling = { load, why: `${message}: ${remedy}` };
    }
    const ofProbe = certainty === 'probe' ? { pace: judge.pace } : {};
    const isSeen = judge.window.errors.some((error) => error !== null);
    const ofFull =
      certainty === 'full' && isSeen && step.verdict !== 'no_evidence' ? this.#pool(load, judge.window) : {};
    const { isRising } = judge;
    this.shown.push({ step, certainty, isRising, endedMs: this.#player.elapsedMs(), ...ofProbe, ...ofFull });
    this.#onStep(step);
    if (played.stop !== null)
      throw new SearchEnded(played.stop.kind === 'signal' ? 'interrupted' : 'stopped', played.stop.why);
    return step;
  }

  #pool(load: number, window: JudgedWindow): Pick<Shown, 'pooled' | 'window'> {
    const before = this.shown.flatMap((each) => (each.step.load === load ? (each.window ?? []) : []));
    return { window, pooled: poolSteps([...before, window], this.#settings.objectives) };
  }

  /** A busy moment of the machine is not a limit: a load is repeated once before the search stays below it. */
  #isSpoiltAgain(load: number): boolean {
    return this.shown.findLast(({ step }) => step.load === load)?.step.verdict === 'no_evidence';
  }

  #cycleMs(): number {
    return this.shown.find(({ pace }) => pace !== undefined)?.pace?.cycleMs ?? 0;
  }

  #probed(): JudgeSettings['isEnough'] {
    const minMs = Math.max(probe.ms, probe.cycles * this.#cycleMs());
    const patientMs = probe.part * this.#boundMs();
    return ({ turns, elapsedMs }) =>
      elapsedMs >= minMs && (turns >= probe.turns || (elapsedMs >= patientMs && turns >= probe.fewTurns));
  }

  #boundMs(): number {
    const { maxDurationMs, isDurationUsual } = this.#settings;
    if (maxDurationMs === null) return Infinity;
    return isDurationUsual ? Math.max(maxDurationMs, minSessions * this.#sessionMs()) : maxDurationMs;
  }

  #sessionMs(): number {
    return this.#settings.sessionTurns * this.#cycleMs();
  }

  #capMs(certainty: Certainty): number {
    const minMs = Math.max(minCapMs[certainty], minStepSessions * this.#sessionMs());
    return Math.max(minMs, maxParts[certainty] * this.#horizonMs());
  }

  #turnsPerSecond(): number {
    return Math.max(...this.shown.map(({ pace }) => pace?.turnsPerSecond ?? 0), 0.1);
  }

  #horizonMs(): number {
    const expectedMs = Math.max(
      usual.ms,
      (usual.turns * 1000) / this.#turnsPerSecond(),
      usual.cycles * this.#cycleMs(),
    );
    return Math.min(this.#patience * expectedMs, this.#boundMs());
  }

  /** Undecided full steps of a load make the next one longer. */
  #longer(certainty: Certainty, load: number): number {
    if (certainty !== 'full') return 1;
    const doubts = this.shown.filter(
      ({ certainty: of, step }) => of === 'full' && step.load === load && step.verdict === 'undecided',
    ).length;
    return 2 ** Math.floor(doubts / 2);
  }

  #leftFor(certainty: Certainty, load: number): Pick<StepOrder, 'maxMs' | 'maxTurns' | 'maxSessions'> {
    const { maxStepMs, maxTurns, maxSessions } = this.#settings;
    const [leftMs, affordable] = [this.#leftMs(), this.#affordableTurns()];
    if (leftMs < minStepMs) throw new SearchEnded('bounded', 'the time budget of the search is used up');
    const leftTurns = Math.min(
      maxTurns === null ? Infinity : maxTurns - this.spent.turns - this.#unseen.turns,
      affordable,
    );
    if (leftTurns < 1)
      throw new SearchEnded('bounded', affordable < 1 ? 'its cost budget is used up' : 'its turn budget is used up');
    const leftSessions = maxSessions === null ? null : maxSessions - this.spent.sessions - this.#unseen.sessions;
    if (leftSessions !== null && leftSessions < 1) throw new SearchEnded('bounded', 'its session budget is used up');
    return {
      maxMs: Math.min(maxStepMs, this.#capMs(certainty) * this.#longer(certainty, load), leftMs),
      maxTurns: leftTurns === Infinity ? null : Math.floor(leftTurns),
      maxSessions: leftSessions,
    };
  }

  #leftMs(): number {
    return Math.max(0, this.#boundMs() - this.#player.elapsedMs());
  }

  /** Estimates by the cost of turns so far; only the first step, at the lowest load, has no estimate. */
  #affordableTurns(): number {
    const { maxCost } = this.#settings;
    const { cost, turns } = this.spent;
    if (maxCost === null) return Infinity;
    if (cost >= maxCost) return 0;
    return cost > 0 ? (maxCost - cost) / (cost / turns) : Infinity;
  }
}

function stepOf(
  asked: Pick<Step, 'load' | 'by' | 'purpose' | 'number'>,
  { judgement, settledMs }: StepJudge,
  { elapsedMs, sent, sessions, figures, values = {}, generatorLimit, stop }: PlayedStep,
): Step {
  // Percentiles are judged as shares, which do not contain the value.
  const objectives = judgement.objectives.map((seen) => ({
    ...seen,
    actual: seen.actual ?? values[seen.metric] ?? null,
  }));
  const judged = { settledMs, elapsedMs, sent, sessions, objectives, figures };
  return { ...asked, ...verdictOf(judgement, { generatorLimit, stop }), ...judged };
}

/**
 * A dead service fails at any load, and keeps sessions waiting as a busy generator does; a service that rejects the key
 * replies at once, which keeps the generator busy. Apart from these, a load that the generator could not send is not
 * evidence about the service, whatever it looks like.
 */
function verdictOf(
  { verdict, reason, isSaturated }: StepJudgement,
  { generatorLimit, stop }: Pick<PlayedStep, 'generatorLimit' | 'stop'>,
): Pick<Step, 'verdict' | 'reason' | 'isSaturated'> {
  if (stop?.kind === 'target_gone' || stop?.kind === 'circuit') return cutShort(stop.why);
  if (generatorLimit !== null)
    return {
      verdict: 'no_evidence',
      reason: `${generatorLimit.message}: ${generatorLimit.remedy}`,
      isSaturated: false,
    };
  return stop !== null && verdict === 'undecided' ? cutShort(stop.why) : { verdict, reason, isSaturated };
}

const cutShort = (why: string): Pick<Step, 'verdict' | 'reason' | 'isSaturated'> => ({
  verdict: 'no_evidence',
  reason: `cut short: ${why}`,
  isSaturated: false,
});
