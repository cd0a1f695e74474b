import { sumBy } from '../../../statistics/averages.ts';
import type { Beat, Part, StepWatch } from './player.ts';
import type { ObjectiveSeen, StepVerdict } from '../document/step.ts';
import type { Objective } from './objective.ts';
import { demands, rough, type Certainty, type Demands } from './certainty.ts';
import { describeJudgement } from './describe-judgement.ts';
import { gatherBeats, gatherByLatency, minStretchMs, generationOf, measurePace, type Pace } from './gather-beats.ts';
import { judgeCount, judgeObjective, nothingSeen, type Judged, type JudgedWindow } from './judge-objective.ts';
import { isSaturated, findSettling, type Settling, steadinessOf } from './steadiness.ts';

export interface StepJudgement {
  verdict: Exclude<StepVerdict, 'no_evidence'>;
  reason: string;
  isSaturated: boolean;
  objectives: ObjectiveSeen[];
}

export interface JudgeSettings {
  objectives: readonly Objective[];
  certainty: Certainty;
  /** True for open load: only then can more turns arrive than are served. */
  isOpen: boolean;
  /** Reports whether a probe ends, regardless of its findings. */
  isEnough?: ((seen: { turns: number; elapsedMs: number }) => boolean) | undefined;
  /** Maximum duration of the step: a step that would need longer is abandoned early. */
  maxMs: number;
  /** True if the load is far from the probable limit. */
  isRough?: boolean;
}

interface Context {
  settling: Settling;
  isThrough: boolean;
  isSteady: boolean;
  isLong: boolean;
  isNearlyLong: boolean;
  isShort: boolean;
  times: number;
  stretches: readonly Beat[];
}

export class StepJudge implements StepWatch {
  readonly #settings: JudgeSettings;
  readonly #demands: Demands;
  readonly #beats: Beat[] = [];
  /** Sums over all intervals, needed for counts. */
  readonly #sums: Part[];
  #nextLook = 1;
  #settledMs = 0;
  #judgement: StepJudgement;
  /** State at the last evaluation. */
  #window: JudgedWindow = { errors: [], times: 0 };
  #isRising = false;

  constructor(settings: JudgeSettings) {
    this.#settings = settings;
    this.#demands = { ...demands[settings.certainty], ...(settings.isRough === true ? rough : {}) };
    this.#sums = settings.objectives.map(() => ({ part: 0, whole: 0 }));
    this.#judgement = {
      verdict: 'undecided',
      reason: 'nothing ended during the step',
      isSaturated: false,
      objectives: settings.objectives.map(nothingSeen),
    };
  }

  get settledMs(): number {
    return this.#settledMs;
  }

  /** Evaluation after the last interval; final once the step is decided. */
  get judgement(): StepJudgement {
    return this.#judgement;
  }

  get isRising(): boolean {
    return this.#isRising;
  }

  get window(): JudgedWindow {
    return this.#window;
  }

  get pace(): Pace {
    return measurePace(this.#beats);
  }

  beat(beat: Beat): 'go' | 'stop' {
    this.#beats.push(beat);
    this.#sums.forEach((sum, at) => {
      sum.part += beat.parts[at]?.part ?? 0;
      sum.whole += beat.parts[at]?.whole ?? 0;
    });
    if (this.#isExceeded()) return 'stop';
    const count = this.#beats.length;
    if (count < this.#nextLook) return 'go';
    this.#nextLook = Math.ceil(count * (1 + this.#demands.lookEvery));
    return this.#look() ? 'stop' : 'go';
  }

  /** An exceeded count needs no second evaluation. */
  #isExceeded(): boolean {
    const counts = this.#settings.objectives.map((objective, at) => this.#countOf(objective, at));
    if (!counts.some((judged) => judged?.seen.verdict === 'broken')) return false;
    this.#look();
    return this.#judgement.verdict === 'broken';
  }

  #countOf(objective: Objective, at: number): Judged | undefined {
    if (objective.share.kind !== 'count') return undefined;
    return judgeCount(objective, this.#sums[at] ?? { part: 0, whole: 0 });
  }

  /** Evaluates the step so far; returns `true` if it can end. */
  #look(): boolean {
    const { minBatches, minTimes, sureTimes, minPart } = this.#demands;
    const seconds = gatherBeats(this.#beats, minStretchMs);
    const settling = findSettling(seconds);
    this.#isRising = settling.trend === 'rises';
    const generation = generationOf(seconds, this.#settings.isOpen);
    const half = Math.floor(seconds.length / 2);
    const started = this.#demands.afterGeneration ? Math.min(generation ?? 0, half) : 0;
    const from = Math.max(settling.from, started);
    this.#settledMs = seconds[from]?.startMs ?? 0;
    const stretches = gatherByLatency(seconds.slice(from), minBatches);
    const judgedMs = sumBy(stretches, ({ lengthMs }) => lengthMs);
    const { times, groups, correlation } = steadinessOf(stretches, minBatches);
    const judged = this.#judge(stretches, correlation);
    this.#window = { errors: judged.map(({ error }) => error), times };
    const isGrowing = this.#settings.isOpen && isSaturated(seconds);
    const isThrough = generation !== null && (!this.#demands.afterGeneration || generation <= half);
    const isShort = stretches.length < minBatches;
    const longMs = Math.min(longEnoughMs, minPart * this.#settings.maxMs);
    const [isLong, isNearlyLong] = [!isShort && judgedMs >= longMs, !isShort && judgedMs >= longMs / 3];
    const isSteady = times >= Math.max(minTimes.holds, this.#isLastLook() ? 0 : Math.min(sureTimes, groups));
    const lengths = { isLong, isNearlyLong, isShort };
    const context = { beats: seconds.slice(from), settling, isThrough, isSteady, ...lengths, times, stretches };
    const verdict = isGrowing ? 'broken' : this.#verdictOf(judged, context);
    const objectives = judged.map(({ seen }) => seen);
    const reason = describeJudgement(
      { verdict, isSaturated: isGrowing, objectives },
      { ...context, alpha: this.#demands.alpha },
    );
    this.#judgement = { verdict, isSaturated: isGrowing, objectives, reason };
    const { isEnough } = this.#settings;
    if (isEnough === undefined) return verdict !== 'undecided' || this.#isFutile(judged, { stretches, times });
    const turns = sumBy(this.#beats, ({ turns }) => turns);
    return verdict === 'broken' || (!isShort && isEnough({ turns, elapsedMs: this.#elapsedMs() }));
  }

  #isLastLook(): boolean {
    return this.#elapsedMs() * (1 + this.#demands.lookEvery) > this.#settings.maxMs;
  }

  #elapsedMs(): number {
    return sumBy(this.#beats, ({ lengthMs }) => lengthMs);
  }

  #judge(stretches: readonly Beat[], correlation: number): Judged[] {
    const { objectives } = this.#settings;
    // Any single objective may break by chance, so all must hold.
    const alpha = this.#demands.alpha / Math.max(1, objectives.filter(({ isGuard }) => !isGuard).length);
    return objectives.map((objective, at) => {
      const parts = stretches.map((beat) => beat.parts[at] ?? { part: 0, whole: 0 });
      return this.#countOf(objective, at) ?? judgeObjective(objective, parts, { ...this.#demands, alpha, correlation });
    });
  }

  /** A start that is not over errs in one direction only: if latency still rises, a broken objective stays broken. */
  #verdictOf(
    judged: readonly Judged[],
    { settling, isThrough, isSteady, isLong, isNearlyLong, times, stretches }: Context,
  ): StepJudgement['verdict'] {
    const { maxCorrelation, minTimes, minBatches } = this.#demands;
    const isClear = ({ correlation }: Judged): boolean => correlation <= maxCorrelation;
    const broken = judged.filter(({ seen }) => seen.verdict === 'broken');
    if (broken.some(({ seen }) => this.#isCount(seen))) return 'broken';
    const isOver = (each: Judged): boolean => this.#isOverAtLast(stretches, each);
    if (isNearlyLong && broken.some((each) => isFarOver(each) && isOver(each))) return 'broken';
    // A slow wave resembles a trend, but returns to its mean.
    const latencies = stretches.map((beat) => ({ ...beat, turnsInFlight: beat.turnMeanMs ?? 0 }));
    const isCalm = settling.trend === null || steadinessOf(latencies, minBatches).times >= minTimes.holds;
    if (times < minTimes.broken) return 'undecided';
    if (broken.some((each) => isClear(each) && (settling.trend !== 'falls' || (isCalm && isOver(each)))))
      return 'broken';
    const allHold =
      broken.length === 0 && this.#asked(judged).every((each) => each.seen.verdict === 'holds' && isClear(each));
    const isRising = settling.trend === 'rises' && !isCalm;
    return allHold && isSteady && isThrough && isLong && !isRising ? 'holds' : 'undecided';
  }

  #isOverAtLast(stretches: readonly Beat[], { seen }: Judged): boolean {
    const at = this.#settings.objectives.findIndex(({ metric }) => metric === seen.metric);
    const last = stretches.slice(-Math.ceil(stretches.length / 3)).flatMap(({ parts }) => parts[at] ?? []);
    const sumOf = (name: keyof Part): number => last.reduce((sum, part) => sum + part[name], 0);
    return sumOf('part') > seen.limit * sumOf('whole');
  }

  #asked(judged: readonly Judged[]): Judged[] {
    return judged.filter((_, at) => this.#settings.objectives[at]?.isGuard === false);
  }

  #isCount({ metric }: ObjectiveSeen): boolean {
    return this.#settings.objectives.some(
      (objective) => objective.metric === metric && objective.share.kind === 'count',
    );
  }

  /** Reports whether an undecided step would take longer than the remaining time: it is close to its limit. */
  #isFutile(judged: readonly Judged[], { stretches, times }: { stretches: readonly Beat[]; times: number }): boolean {
    const { minBatches, minTimes, patience, minTried } = this.#demands;
    if (stretches.length < 3 * minBatches) return false;
    const judgedMs = sumBy(stretches, ({ lengthMs }) => lengthMs);
    if (judgedMs < minTried * this.#settings.maxMs) return false;
    const reachMs = patience * this.#settings.maxMs;
    const open = this.#asked(judged).filter(({ seen }) => seen.verdict === 'undecided');
    if (judgedMs * minTimes.broken > Math.max(0, times) * reachMs) return true;
    return open.length > 0 && open.every(({ neededTimes }) => neededTimes * judgedMs > reachMs);
  }
}

/**
 * Reports whether ten times the allowed share was exceeded. For a load that holds, a step shows this in at most one of ten
 * cases, however slowly its queue changes (Markov’s inequality): sufficient for a result that is shown twice.
 */
const isFarOver = ({ seen: { share, limit } }: Judged): boolean => share !== null && share >= 10 * limit;

const longEnoughMs = 240_000;
