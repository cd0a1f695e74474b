import type { Redis } from 'ioredis';

/** One reading of another clock, between two readings of the local clock, in milliseconds. */
export interface ClockSample {
  before: number;
  after: number;
  theirs: number;
}

/**
 * Converts between the local clock and another one, by samples of the latter. The other clock was read at some instant
 * between `before` and `after`; the middle is off by half the round trip at most, so the shortest round trip is the
 * most precise:
 *
 *     before ──────── theirs? ──────── after
 *        |<── half ──>|<── half ──>|
 *
 * An older sample is less precise, because clocks drift apart: its error grows by `maxDrift`, and the sample with the
 * smallest error counts.
 */
export class CommonClock {
  readonly #rounds: { sample: ClockSample; offset: number }[] = [];
  #first: number | undefined;

  /** Takes the samples of one round, of which the one with the shortest round trip is kept. Without samples nothing changes. */
  take(samples: readonly ClockSample[]): void {
    const [best] = samples.toSorted((one, other) => roundTrip(one) - roundTrip(other));
    if (best === undefined) return;
    this.#rounds.push({ sample: best, offset: best.theirs - (best.before + best.after) / 2 });
    if (this.#rounds.length > keptRounds) this.#rounds.shift();
    this.#first ??= this.#best(best.after).offset;
  }

  /** Converts an instant of the local clock to the other clock. */
  toTheirs(ours: number): number {
    return ours + this.#best(ours).offset;
  }

  /** Converts an instant of the other clock to the local clock, as estimated at the local time `now`. */
  toOurs(theirs: number, now: number): number {
    return theirs - this.#best(now).offset;
  }

  /** Returns the maximum error of the conversion at the local time `now`. */
  uncertaintyMs(now: number): number {
    return errorOf(this.#best(now).sample, now);
  }

  /** Returns the drift between the clocks since the first round; positive if the other clock is faster. */
  driftMs(now: number): number {
    return this.#best(now).offset - (this.#first ?? 0);
  }

  #best(now: number): { sample: ClockSample; offset: number } {
    const [best] = this.#rounds.toSorted((one, other) => errorOf(one.sample, now) - errorOf(other.sample, now));
    if (best === undefined) throw new Error('a clock was used before it was read');
    return best;
  }
}

/** Number of kept rounds: a minute of them, at one every 10 s. */
const keptRounds = 6;

/** Maximum drift of two clocks: 500 ppm, the maximum adjustment by NTP. */
const maxDrift = 500e-6;

const roundTrip = ({ before, after }: ClockSample): number => after - before;

const errorOf = (sample: ClockSample, now: number): number =>
  roundTrip(sample) / 2 + Math.max(0, now - sample.after) * maxDrift;

/** The clock of Redis, relative to a monotonic clock of this process. Milliseconds with fractions. */
export interface RedisClock {
  redisNow(): number;
  toRedis(ours: number): number;
  toOurs(redis: number): number;
  uncertaintyMs: () => number;
  end(): void;
}

/** Reads the clock of Redis now and every 10 s. `now` is the local clock; `note` is called if the two drift apart. */
export async function followClock(
  redis: Redis,
  { now, note }: { now: () => number; note: (text: string) => void },
): Promise<RedisClock> {
  const clock = new CommonClock();
  clock.take(await sampleRound(redis, now));
  let notedMs = 0;
  const follow = async (): Promise<void> => {
    clock.take(await sampleRound(redis, now));
    const driftMs = clock.driftMs(now());
    if (Math.abs(driftMs - notedMs) < notableDriftMs) return;
    notedMs = driftMs;
    note(`The clock of Redis has moved by ${driftMs.toFixed(1)} ms relative to the clock of this machine.`);
  };
  // Without Redis the latest reading stays valid.
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
