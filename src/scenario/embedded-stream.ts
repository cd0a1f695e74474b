import { z } from 'zod';
import { closedObject } from './closed-object.ts';
import { durationDistribution, type SettledDistribution } from './duration-distribution.ts';
import { defaulted, option } from './option.ts';

/** How replies in pieces are given, as read. */
export interface SettledStream {
  /** `null`: as long as a whole reply takes. */
  firstToken: SettledDistribution | null;
  gap: SettledDistribution;
  /** `null`: as many as the reply has words. */
  pieces: number | null;
  reasoning: number;
  flushEvery: number;
  onLeave: 'stop' | 'continue';
}

/** The fields with their notes. */
export const streamShape = {
  firstToken: option(durationDistribution, {
    meaning: 'The time from the request to the first piece of a streamed reply, in place of `latency`.',
    without: '`embedded.latency`',
  }),
  gap: defaulted(durationDistribution, { meaning: 'The time between two pieces.', default: '0ms' }),
  pieces: defaulted(z.int().min(1).max(1_000_000).nullable(), {
    meaning:
      'The exact number of pieces of every reply of the APIs that stream, whole ones too: filler words follow a short text, and the last piece takes the rest of a long one.',
    default: null,
    unit: 'pieces',
  }),
  reasoning: defaulted(z.int().min(0).max(1_000_000), {
    meaning: 'The number of pieces of reasoning before the text.',
    default: 0,
    unit: 'pieces',
  }),
  flushEvery: defaulted(z.int().min(1), {
    meaning: 'The number of events that go out in one write, as through a proxy that gathers them.',
    default: 1,
    unit: 'events',
  }),
  onLeave: defaulted(z.enum(['stop', 'continue']), {
    meaning:
      'What becomes of a reply whose client leaves before its end: the agent stops, or goes on to the end for nobody.',
    default: 'stop',
  }),
};

/** The schema of `embedded.stream`. */
export const streamOptions = closedObject(streamShape).transform(({ firstToken = null, ...read }): SettledStream => ({
  firstToken,
  ...read,
}));
