import type { Redis } from 'ioredis';

/** One reading of another clock: our own clock before and after, and what the other said in between. Milliseconds. */
export interface ClockSample {
  before: number;
  after: number;
  theirs: number;
}

/**
 * Our clock against another one, from samples of it. The other clock was read at some instant between `before` and
 * `after`; the middle is off by half the round trip at most, so the least round trip says most:
 *
 *     before ──────── theirs? ──────── after
 *        |<── half ──>|<── half ──>|
 *
 * An older sample says less, since clocks drift apart: its error grows by `maxDrift`, and the sample whose error is
 * least counts.
 */
export class CommonClock {
  readonly #rounds: { sample: ClockSample; offset: number }[] = [];
  #first: number | undefined;

  /** Takes the samples of one round: the one of the least round trip is kept. Without samples nothing changes. */
  take(samples: readonly ClockSample[]): void {
    const [best] = samples.toSorted((one, other) => roundTrip(one) - roundTrip(other));
    if (best === undefined) return;
    this.#rounds.push({ sample: best, offset: best.theirs - (best.before + best.after) / 2 });
    if (this.#rounds.length > keptRounds) this.#rounds.shift();
    this.#first ??= this.#best(best.after).offset;
  }

  /** An instant of our clock on theirs. */
  toTheirs(ours: number): number {
    return ours + this.#best(ours).offset;
  }

  /** An instant of theirs on our clock, as judged at `now` of ours. */
  toOurs(theirs: number, now: number): number {
    return theirs - this.#best(now).offset;
  }

  /** How far the conversion may be off at `now` of our clock. */
  uncertaintyMs(now: number): number {
    return errorOf(this.#best(now).sample, now);
  }

  /** How far theirs has moved against ours since the first round; positive: theirs is faster. */
  driftMs(now: number): number {
    return this.#best(now).offset - (this.#first ?? 0);
  }

  #best(now: number): { sample: ClockSample; offset: number } {
    const [best] = this.#rounds.toSorted((one, other) => errorOf(one.sample, now) - errorOf(other.sample, now));
    if (best === undefined) throw new Error('a clock was asked before it was read');
    return best;
  }
}

/** Rounds that are remembered: a minute of them, at one every 10 s. */
const keptRounds = 6;

/** How fast two clocks may drift apart: 500 ppm, as fast as NTP moves one. */
const maxDrift = 500e-6;

const roundTrip = ({ before, after }: ClockSample): number => after - before;

const errorOf = (sample: ClockSample, now: number): number =>
  roundTrip(sample) / 2 + Math.max(0, now - sample.after) * maxDrift;

/** The clock of Redis, as this process knows it by a monotonic clock of its own. Milliseconds with fractions. */
export interface RedisClock {
  redisNow(): number;
  toRedis(ours: number): number;
  toOurs(redis: number): number;
  uncertaintyMs: () => number;
  end(): void;
}

/** What a clock is compared with, and who is told that the two drift apart. */
export interface Comparison {
  /** Our own clock. */
  now: () => number;
  note: (text: string) => void;
}

/** Reads the clock of Redis now and every 10 s, some 15 times each. */
export async function followClock(redis: Redis, { now, note }: Comparison): Promise<RedisClock> {
  const clock = new CommonClock();
  clock.take(await sampleRound(redis, now));
  let notedMs = 0;
  const follow = async (): Promise<void> => {
    clock.take(await sampleRound(redis, now));
    const driftMs = clock.driftMs(now());
    if (Math.abs(driftMs - notedMs) < notableDriftMs) return;
    notedMs = driftMs;
    note(`The clock of Redis has moved by ${driftMs.toFixed(1)} ms against the one of this machine.`);
  };
  // Without Redis the clock stays as it was read last.
  const timer = setInterval(() => void follow().catch(() => undefined), betweenRoundsMs).unref();
  return {
    redisNow: () => clock.toTheirs(now()),
    toRedis: (ours) => clock.toTheirs(ours),
    toOurs: (theirs) => clock.toOurs(theirs, now()),
    uncertaintyMs: () => clock.uncertaintyMs(now()),
    end: () => clearInterval(timer),
  };
}

const samplesPerRound = 15;
const betweenRoundsMs = 10_000;
const notableDriftMs = 10;

async function sampleRound(redis: Redis, now: () => number): Promise<ClockSample[]> {
  const samples: ClockSample[] = [];
  while (samples.length < samplesPerRound) {
    const before = now();
    const [seconds, microseconds] = await redis.time();
    samples.push({ before, after: now(), theirs: Number(seconds) * 1000 + Number(microseconds) / 1000 });
  }
  return samples;
}
