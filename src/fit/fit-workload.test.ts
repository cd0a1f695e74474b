import { expect, test } from 'vitest';
import { drawTrace, traceOf, type DrawnWorkload } from '../../test/support/drawn-trace.ts';
import type { Conversation } from '../dataset/conversation.ts';
import type { TracedTurn, TraceSource } from '../trace/trace.ts';
import { fitSchema, type FitNote } from './document/fit.ts';
import { fitWorkload, type FitInput } from './fit-workload.ts';

type Parts = ReturnType<typeof fitWorkload>;

/** Every number of a fit is one: JSON has neither NaN nor Infinity. */
const parts = fitSchema.pick({ arrivals: true, turns: true, thinkTime: true, messageLength: true, replyLength: true });
function fitOf(input: FitInput): Parts {
  const fit = fitWorkload(input, { seed: 1, replyTimeMs: 0 });
  parts.parse(fit);
  return fit;
}

const drawn = (workload: Omit<DrawnWorkload, 'seed'>): TraceSource => drawTrace({ seed: 1, ...workload });

const turn = (given: Partial<TracedTurn>): TracedTurn => ({
  afterMs: 0,
  inputTokens: null,
  outputTokens: null,
  replyMs: null,
  waitMs: null,
  ...given,
});

const talksOf = (count: number, text: string): FitInput => {
  const talk: Conversation = { messages: [{ role: 'user', content: text }] };
  const conversations = { count, digest: 'd', at: () => talk, turnsAt: () => 1 };
  return { conversations: conversations };
};

test.each<[string, FitInput, readonly FitNote[], (fit: Parts) => unknown, unknown]>([
  [
    'one session',
    { trace: drawn({ sessions: 1, turns: () => () => 3 }) },
    ['one_instant', 'few_sessions', 'few_gaps', 'no_lengths'],
    ({ arrivals, turns, thinkTime }) => [arrivals, turns, thinkTime],
    [null, null, null],
  ],
  [
    'one turn per session',
    { trace: drawn({ sessions: 200 }) },
    ['one_turn_each', 'no_gaps', 'no_lengths'],
    ({ turns }) => turns?.distribution,
    { kind: 'constant', value: 1 },
  ],
  [
    'all at one instant',
    { trace: traceOf(Array.from({ length: 50 }, () => ({ atMs: 0, turns: [turn({}), turn({})] }))) },
    ['one_instant', 'reply_time_included', 'no_lengths'],
    ({ arrivals, turns }) => [arrivals, turns?.distribution],
    [null, { kind: 'constant', value: 2 }],
  ],
  [
    'no think time',
    { trace: drawn({ sessions: 200, turns: () => () => 3, gapMs: () => () => 0 }) },
    ['reply_time_included', 'no_lengths'],
    ({ thinkTime }) => thinkTime?.distribution,
    { kind: 'constant', value: 0 },
  ],
  [
    'think times of one value or none',
    {
      trace: drawn({
        sessions: 101,
        turns: () => () => 2,
        gapMs: () => {
          let gap = 0;
          return () => (gap = 5000 - gap);
        },
      }),
    },
    ['reply_time_included', 'no_lengths'],
    ({ thinkTime }) => thinkTime?.poor.includes('distance'),
    true,
  ],
  [
    'less than an hour, at a steady rate',
    { trace: drawn({ sessions: 2000, rate: 2 }) },
    ['one_turn_each', 'no_gaps', 'no_lengths'],
    ({ arrivals }) => [arrivals?.rate?.binMs, arrivals?.rate?.varies, arrivals?.process],
    [60_000, false, 'poisson'],
  ],
  [
    'too few sessions for a rate over time',
    { trace: drawn({ sessions: 60, rate: 0.001 }) },
    ['few_arrivals', 'one_turn_each', 'no_gaps', 'no_lengths'],
    ({ arrivals }) => [arrivals?.rate, arrivals?.process, arrivals?.burstiness],
    [null, 'poisson', null],
  ],
  [
    'a second between sessions, by a clock of seconds, in a short trace',
    {
      trace: traceOf(
        Array.from({ length: 200 }, (_, at) => ({ atMs: 1000 * (at === 50 ? 49 : at), turns: [turn({})] })),
      ),
    },
    ['few_arrivals', 'one_turn_each', 'no_gaps', 'no_lengths'],
    ({ arrivals }) => arrivals?.process,
    'poisson',
  ],
  [
    'constant lengths',
    { trace: drawn({ sessions: 101, inputTokens: () => () => 12 }) },
    ['one_turn_each', 'no_gaps'],
    ({ messageLength }) => messageLength?.distribution,
    { kind: 'constant', value: 12 },
  ],
  [
    'conversations of one length',
    talksOf(40, 'Where is my order?'),
    ['no_arrivals', 'one_turn_each', 'no_gaps'],
    ({ messageLength, arrivals, thinkTime }) => [messageLength?.distribution, arrivals, thinkTime],
    [{ kind: 'constant', value: 18 }, null, null],
  ],
  [
    'one conversation',
    talksOf(1, 'Hello'),
    ['no_arrivals', 'few_sessions', 'no_gaps', 'few_lengths'],
    ({ turns, messageLength }) => [turns, messageLength],
    [null, null],
  ],
])('a fit to %s says what it lacks, in numbers that are numbers', (_, input, notes, read, expected) => {
  const fit = fitOf(input);
  expect(new Set(fit.notes)).toEqual(new Set(notes));
  expect(read(fit)).toEqual(expected);
});
