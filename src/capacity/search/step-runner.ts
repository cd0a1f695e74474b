import type { SearchOutcome } from '../document/capacity.ts';
import type { Step, StepPurpose } from '../document/step.ts';
import type { Certainty } from '../judge/certainty.ts';
import { StepJudge, type StepJudgement } from '../judge/step-judge.ts';
import type { PlayedStep, StepPlayer } from '../player.ts';
import type { Recovery, SearchSettings } from './search.ts';

/** A step with how sure it had to be. */
export interface Shown {
  step: Step;
  certainty: Certainty;
  /** When it ended, since the search began. */
  endedMs: number;
}

/** Thrown where a search ends before it has its answer. */
export class SearchEnded extends Error {
  readonly outcome: SearchOutcome;
  /** What it was waiting for. */
  readonly recovery: Recovery | null;

  constructor(outcome: SearchOutcome, reason: string, recovery: Recovery | null = null) {
    super(reason);
    [this.outcome, this.recovery] = [outcome, recovery];
  }
}

export interface StepAsked {
  load: number;
  purpose: StepPurpose;
  certainty: Certainty;
}

/** Nothing is learnt in less. */
const leastStepMs = 2000;
/** A quick step gives up after it: it only finds the way. */
const quickMs = 60_000;

/** Plays steps one after another, within the bounds of the whole search. */
export class StepRunner {
  readonly shown: Shown[] = [];
  readonly spent = { turns: 0, sessions: 0, cost: 0 };
  readonly #settings: SearchSettings;
  readonly #player: StepPlayer;
  readonly #onStep: (step: Step) => void;
  /** The lowest load that the generator could not carry, and why. */
  ceiling: { load: number; why: string } = { load: Infinity, why: '' };

  constructor(settings: SearchSettings, player: StepPlayer, onStep: (step: Step) => void) {
    this.#settings = settings;
    this.#player = player;
    this.#onStep = onStep;
  }

  elapsedMs(): number {
    return this.#player.elapsedMs();
  }

  /** So many times the rest that was asked for. */
  async rest(times = 1): Promise<void> {
    await this.#player.rest(Math.min(times * this.#settings.restMs, this.#leftMs()));
  }

  /** Throws `SearchEnded` when a bound is reached, or when the player says that it is over. */
  async play({ load, purpose, certainty }: StepAsked): Promise<Step> {
    const order = { number: this.shown.length + 1, load, purpose, ...this.#leftFor(certainty) };
    const { objectives, by } = this.#settings;
    const judge = new StepJudge({ objectives, certainty, isOpen: by === 'rate', mostMs: order.mostMs });
    const played = await this.#player.play(order, judge);
    const step = stepOf({ load, purpose, number: order.number }, judge, played);
    this.spent.turns += played.sent;
    this.spent.sessions += played.sessions;
    this.spent.cost += played.cost;
    if (played.generatorLimit !== null && load < this.ceiling.load && this.#isSpoiltAgain(load)) {
      const { message, remedy } = played.generatorLimit;
      this.ceiling = { load, why: `${message}: ${remedy}` };
    }
    this.shown.push({ step, certainty, endedMs: this.#player.elapsedMs() });
    this.#onStep(step);
    if (played.stop !== null)
      throw new SearchEnded(played.stop.kind === 'signal' ? 'interrupted' : 'stopped', played.stop.why);
    return step;
  }

  /** A busy moment of the machine is no limit: a load is tried once more before nothing above it is. */
  #isSpoiltAgain(load: number): boolean {
    return this.shown.findLast(({ step }) => step.load === load)?.step.verdict === 'no_evidence';
  }

  /** What is left of every bound. */
  #leftFor(certainty: Certainty): { mostMs: number; mostTurns: number | null } {
    const { maxStepMs, maxTurns } = this.#settings;
    const [leftMs, affordable] = [this.#leftMs(), this.#affordableTurns()];
    if (leftMs < leastStepMs) throw new SearchEnded('bounded', 'the time of the search is up');
    const leftTurns = Math.min(maxTurns === null ? Infinity : maxTurns - this.spent.turns, affordable);
    if (leftTurns < 1)
      throw new SearchEnded('bounded', affordable < 1 ? 'the cost of the search is spent' : 'its turns are spent');
    const stepMs = certainty === 'quick' ? Math.min(maxStepMs, quickMs) : maxStepMs;
    return { mostMs: Math.min(stepMs, leftMs), mostTurns: leftTurns === Infinity ? null : Math.floor(leftTurns) };
  }

  #leftMs(): number {
    const { maxDurationMs } = this.#settings;
    return maxDurationMs === null ? Infinity : Math.max(0, maxDurationMs - this.#player.elapsedMs());
  }

  /** By what turns have cost so far; the first step, at the lowest load, is the only one without such knowledge. */
  #affordableTurns(): number {
    const { maxCost } = this.#settings;
    const { cost, turns } = this.spent;
    if (maxCost === null) return Infinity;
    if (cost >= maxCost) return 0;
    return cost > 0 ? (maxCost - cost) / (cost / turns) : Infinity;
  }
}

function stepOf(
  asked: Pick<Step, 'load' | 'purpose' | 'number'>,
  { judgement, settledMs }: StepJudge,
  { elapsedMs, sent, sessions, figures, generatorLimit, stop }: PlayedStep,
): Step {
  const judged = { settledMs, elapsedMs, sent, sessions, objectives: judgement.objectives, figures };
  return { ...asked, ...verdictOf(judgement, { generatorLimit, stop }), ...judged };
}

/**
 * A service that is gone fails at any load, and keeps sessions waiting as a busy generator does. Apart from that, what
 * the generator could not carry says nothing of the service, whatever it looks like.
 */
function verdictOf(
  { verdict, reason, isSaturated }: StepJudgement,
  { generatorLimit, stop }: Pick<PlayedStep, 'generatorLimit' | 'stop'>,
): Pick<Step, 'verdict' | 'reason' | 'isSaturated'> {
  if (stop?.kind === 'target_gone') return cutShort(stop.why);
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
