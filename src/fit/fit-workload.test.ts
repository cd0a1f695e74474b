import { describe, expect, test } from 'vitest';
import { drawTrace, traceOf, type DrawnWorkload } from '../../test/support/drawn-trace.ts';
import { randomOf } from '../base/random.ts';
import type { Conversation } from '../dataset/conversation.ts';
import type { TracedTurn, TraceSource } from '../trace/trace.ts';
import { fitSchema, type FitNote } from './document/fit.ts';
import { fitWorkload, type FitInput } from './fit-workload.ts';

type Parts = ReturnType<typeof fitWorkload>;

/** Every number of a fit is finite: JSON has neither NaN nor Infinity. */
const parts = fitSchema.pick({ arrivals: true, turns: true, thinkTime: true, messageLength: true, replyLength: true });
function fitOf(input: FitInput, replyTimeMs = 0): Parts {
  const fit = fitWorkload(input, { seed: 1, replyTimeMs });
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
    'few sessions of one turn each',
    { trace: drawn({ sessions: 29, inputTokens: () => () => 12 }) },
    ['few_arrivals', 'one_turn_each', 'no_gaps', 'few_lengths'],
    ({ turns }) => turns?.distribution,
    { kind: 'constant', value: 1 },
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
])('a fit to %s notes missing parts, and has only finite numbers', (_, input, notes, read, expected) => {
  const fit = fitOf(input);
  expect(new Set(fit.notes)).toEqual(new Set(notes));
  expect(read(fit)).toEqual(expected);
});

/** 60 sessions of two turns, a minute apart. */
const pairs = (turnsOf: (session: number) => readonly [Partial<TracedTurn>, Partial<TracedTurn>]): TraceSource =>
  traceOf(Array.from({ length: 60 }, (_, at) => ({ atMs: 60_000 * at, turns: turnsOf(at).map(turn) })));

test('the rate of a timer follows from its gaps', () => {
  expect(fitOf({ trace: pairs(() => [{}, {}]) }).arrivals?.sessionsPerSecond).toBeCloseTo(1 / 60, 12);
});

test('thirty values are enough', () => {
  const { turns, thinkTime } = fitOf({
    trace: drawn({ sessions: 30, turns: () => () => 2, gapMs: (random) => () => 1000 * random() }),
  });
  expect([turns?.count, thinkTime?.count]).toEqual([30, 30]);
});

test.each<[string, (session: number) => Partial<TracedTurn>, number, FitNote, number]>([
  ['hold the reply', () => ({}), 0, 'reply_time_included', 5000],
  ['are less a typical reply', () => ({}), 1000, 'reply_time_subtracted', 4000],
  ['are less the reply of the trace', () => ({ replyMs: 2000 }), 1000, 'reply_time_known', 3000],
  ['partly known from the trace', (at) => (at % 2 === 0 ? {} : { replyMs: 1 }), 0, 'reply_time_included', 4999.5],
])('gaps between turns %s', (_, first, replyTimeMs, note, gap) => {
  const fit = fitOf({ trace: pairs((at) => [first(at), { afterMs: 5000 }]) }, replyTimeMs);
  expect(fit.notes).toContain(note);
  expect(fit.thinkTime?.distribution).toEqual({ kind: 'constant', value: gap });
});

test.each<[string, (session: number) => readonly [number, number], boolean, number | undefined]>([
  ['of the whole conversation', () => [100, 132], true, 60],
  ['that rise in six of ten', (at) => [100, at % 10 < 6 ? 132 : 90], false, 120],
  ['of which few are above 0', (at) => [0, at % 3 === 0 ? 7 : 0], false, undefined],
])('input tokens %s', (_, tokensOf, isContext, count) => {
  const trace = pairs((at) => {
    const [first, second] = tokensOf(at);
    return [{ inputTokens: first, outputTokens: 20 }, { inputTokens: second }];
  });
  const { messageLength, notes } = fitOf({ trace });
  expect([notes.includes('input_is_context'), messageLength?.count]).toEqual([isContext, count]);
  if (isContext) expect(messageLength?.distribution).toEqual({ kind: 'constant', value: 12 });
  if (count === undefined) expect(notes).toContain('few_lengths');
});

test('with a trace and conversations, turns and lengths are from the conversations', () => {
  const trace = drawn({ sessions: 100, turns: () => () => 3, inputTokens: () => () => 5 });
  const { turns, messageLength, arrivals } = fitOf({ trace, ...talksOf(40, 'Where is my order?') });
  expect([turns?.mean.data, messageLength?.unit, arrivals?.sessions]).toEqual([1, 'characters', 100]);
});

test('replies are the messages of the assistant', () => {
  const talk: Conversation = {
    messages: [
      { role: 'user', content: 'Where is it?' },
      { role: 'assistant', content: 'Wait' },
      { role: 'tool', content: '{"status":"sent"}' },
    ],
  };
  const conversations = { count: 40, digest: 'd', at: () => talk, turnsAt: () => 1 };
  expect(fitOf({ conversations: conversations }).replyLength).toMatchObject({
    count: 40,
    distribution: { kind: 'constant', value: 4 },
  });
});

test('sessions that start together are clusters', () => {
  // Fifty short gaps, then fifty long ones: neighbours are alike, unlike independent gaps.
  const random = randomOf(3);
  let atMs = 0;
  const sessions = Array.from({ length: 4000 }, (_, at) => {
    atMs += -Math.log(1 - random()) * (Math.floor(at / 50) % 2 === 0 ? 100 : 1000);
    return { atMs, turns: [turn({})] };
  });
  expect(fitOf({ trace: traceOf(sessions) }).notes).toContain('clusters');
});

describe('zeros', () => {
  test('of tokens are failed requests or missing values, counted and omitted', () => {
    const trace = pairs((at) => [
      { inputTokens: at < 10 ? 0 : 40, outputTokens: at < 6 ? 0 : 8 },
      { afterMs: 5000, inputTokens: 40, outputTokens: 8 },
    ]);
    const { zeros, messageLength, replyLength } = fitOf({ trace });
    expect(zeros).toEqual([
      { of: 'inputTokens', zeros: 10, values: 120, use: 'missing' },
      { of: 'outputTokens', zeros: 6, values: 120, use: 'missing' },
    ]);
    expect([messageLength, replyLength].map((quantity) => [quantity?.count, quantity?.mean.data])).toEqual([
      [110, 40],
      [114, 8],
    ]);
  });

  test('of reply times are not subtracted from gaps', () => {
    const trace = pairs((at) => [{ replyMs: at < 3 ? 0 : 1000 }, { afterMs: at < 3 ? 4000 : 5000 }]);
    const { zeros, thinkTime, notes } = fitOf({ trace });
    expect(zeros).toEqual([{ of: 'replyTimes', zeros: 3, values: 60, use: 'missing' }]);
    expect([thinkTime?.distribution, notes.includes('reply_time_included')]).toEqual([
      { kind: 'constant', value: 4000 },
      true,
    ]);
  });

  test('of gaps are short, and counted', () => {
    const trace = pairs((at) => [{}, { afterMs: at < 20 ? 0 : 5000 }]);
    expect(fitOf({ trace }).zeros).toEqual([{ of: 'gaps', zeros: 20, values: 60, use: 'short' }]);
  });

  test('of a growing input are repeated requests', () => {
    const trace = pairs((at) => [
      { inputTokens: 100, outputTokens: 20 },
      { inputTokens: at === 7 ? 110 : 132, outputTokens: 20 },
    ]);
    const { zeros, messageLength } = fitOf({ trace });
    expect(zeros).toEqual([
      { of: 'growth', zeros: 1, values: 60, use: 'missing' },
      { of: 'gaps', zeros: 60, values: 60, use: 'short' },
    ]);
    expect(messageLength?.distribution).toEqual({ kind: 'constant', value: 12 });
  });

  test('of replies in conversations are missing', () => {
    const talk = (content: string): Conversation => ({
      messages: [
        { role: 'user', content: 'Where is it?' },
        { role: 'assistant', content },
      ],
    });
    const conversations = {
      count: 40,
      digest: 'd',
      at: (index: number) => talk(index < 4 ? '' : 'Wait'),
      turnsAt: () => 1,
    };
    const { zeros, replyLength } = fitOf({ conversations });
    expect(zeros).toEqual([{ of: 'replies', zeros: 4, values: 40, use: 'missing' }]);
    expect(replyLength?.count).toBe(36);
  });
});

test.each<[number, 'fresh' | undefined, string[]]>([
  [29, undefined, ['few_later_turns']],
  [29, 'fresh', []],
  [30, undefined, ['input_is_context']],
])('%i later turns with content %s are noted as %j', (count, input, expected) => {
  const rising = [turn({ inputTokens: 100, outputTokens: 20 }), turn({ inputTokens: 132 })];
  const trace = traceOf(Array.from({ length: count }, (_, at) => ({ atMs: at * 1000, turns: rising })));
  const { notes } = fitOf({ trace, input });
  expect(notes.filter((each) => each.startsWith('input_') || each === 'few_later_turns')).toEqual(expected);
});

test('a stated content of input tokens is used', () => {
  const trace = pairs(() => [{ inputTokens: 100, outputTokens: 20 }, { inputTokens: 132 }]);
  expect(fitOf({ trace, input: 'fresh' }).messageLength?.count).toBe(120);
  expect(fitOf({ trace, input: 'fresh' }).notes).toContain('input_is_message');
  expect(fitOf({ trace, input: 'whole' }).notes).toContain('input_is_context');
});
