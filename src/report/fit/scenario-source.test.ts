import { expect, test } from 'vitest';
import { drawTrace } from '../../../test/support/drawn-trace.ts';
import { sampleFit } from '../../../test/support/sample-fit.ts';
import { fitWorkload } from '../../fit/fit-workload.ts';
import { scenarioSource } from './scenario-source.ts';

const settings = { seed: 1, replyTimeMs: 0 };

test.each([
  ['no message has a length', undefined, 'The input has no message lengths.'],
  ['few messages have one', () => () => 12, 'Fewer than 30 messages of the input have a length.'],
])('a scenario of 29 requests where %s has one turn per session, and states it', (_, inputTokens, said) => {
  const trace = drawTrace({ seed: 1, sessions: 29, ...(inputTokens === undefined ? {} : { inputTokens }) });
  const source = scenarioSource({ ...sampleFit(), ...fitWorkload({ trace }, settings) });
  expect(source).toContain('  turns: 1,');
  expect(source).toContain(said);
});
