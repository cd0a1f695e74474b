import { expect, test } from 'vitest';
import { sampleFit } from '../../../test/support/sample-fit.ts';
import type { Fit, QuantityFit } from '../../fit/document/fit.ts';
import { written } from '../../../test/support/render-outline.ts';
import { fitReport } from './fit-outline.ts';
import { scenarioSource } from './scenario-source.ts';

const talks = { file: 'talks.jsonl', holds: 'conversations', count: 9, digest: 'd' } as const;
const input = { ...talks, malformedLines: 0, firstMalformed: [] };

/** Every part is poorly fitted; only traces have think time. */
function poorFit(inputs: Fit['inputs']): Fit {
  const fit = sampleFit();
  const poor = (quantity: QuantityFit | null): QuantityFit | null => quantity && { ...quantity, poor: ['distance'] };
  return {
    ...fit,
    inputs,
    arrivals: null,
    turns: poor(fit.turns),
    thinkTime: inputs.some(({ holds }) => holds === 'trace') ? poor(fit.thinkTime) : null,
    messageLength: poor(fit.messageLength),
    replyLength: poor(fit.messageLength),
    notes: ['few_sessions'],
  };
}

const [trace] = sampleFit().inputs;
/** Each paragraph in a line. */
const shownOf = (fit: Fit): string => written(fitReport, fit, { width: 1000 }).replace(/\n {8}/g, ' ');

test.each([
  ['conversations', [input], []],
  ['a trace and conversations', trace === undefined ? [] : [trace, input], ['think time']],
  ['a trace', trace === undefined ? [] : [trace], ['turns per session', 'think time', 'message length']],
])('of %s, a poor fit is a warning with its remedy if the scenario draws from it', (_, inputs, drawn) => {
  const fit = poorFit(inputs);
  const [shown, source] = [shownOf(fit), scenarioSource(fit)];
  const warned = [...shown.matchAll(/^warning (.+): a poor fit, .+ replays the trace unchanged\.$/gm)];
  expect(warned.map(([, name]) => name)).toEqual(drawn);
  const isFile = inputs.includes(input);
  const noted = [...shown.matchAll(/^note {4}(.+): a poor fit, .+\. (The scenario .+)$/gm)].map(([, name, instead]) => [
    name,
    instead,
  ]);
  const taken = 'The scenario takes it unchanged from talks.jsonl.';
  expect(noted).toEqual([
    ...(isFile ? [['turns per session', taken]] : []),
    ...(isFile ? [['message length', taken]] : []),
    ['reply length', 'The scenario does not use it.'],
  ]);
  expect(source.includes('A poor fit')).toBe(drawn.length > 0);
  expect(source).not.toContain('reply length:');
  expect(shown).not.toContain('fromFile');
});

test('of few conversations, turns are reported as taken from them', () => {
  expect(shownOf(poorFit([input]))).toContain('each conversation keeps its own');
});

test('zeros, the times of a trace and doubts about its reading are shown', () => {
  const fit = sampleFit();
  const shown = shownOf({
    ...fit,
    inputs: fit.inputs.map((each) => ({
      ...each,
      form: 'mooncake',
      times: 'seconds (assumed)',
      doubts: ['Times of trace.csv were read as seconds (assumed): they have fractions.'],
    })),
    zeros: [
      { of: 'outputTokens', zeros: 40, values: 500, use: 'missing' },
      { of: 'gaps', zeros: 1, values: 90, use: 'short' },
    ],
  });
  expect(shown).toContain('trace.csv, 500 sessions (mooncake, times: seconds (assumed))');
  expect(shown).toContain('warning Times of trace.csv were read as seconds (assumed)');
  expect(shown).toContain(
    'warning 40 of 500 reply lengths are 0: treated as failed requests or missing values, and omitted.',
  );
  expect(shown).toContain('1 of 90 gaps between turns is 0 (or less): treated as shorter than the resolution');
});
