import { expect, test } from 'vitest';
import { sampleFit } from '../../../test/support/sample-fit.ts';
import { insteadText } from './fit-text.ts';

test('a trace whose columns were named, or that was sorted, is to be replayed so', () => {
  expect(insteadText(sampleFit())).toBe(
    `load: { trace: 'trace.csv', columns: { at: 'time', session: "user's" } } replays the trace unchanged.`,
  );
  expect(insteadText({ ...sampleFit(), columns: undefined, sort: true })).toBe(
    "load: { trace: 'trace.csv', sort: true } replays the trace unchanged.",
  );
});
