import type { Redis } from 'ioredis';
import { CommonClock, type ClockSample } from './common-clock.ts';

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
