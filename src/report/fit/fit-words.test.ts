import { expect, test } from 'vitest';
import { sampleFit } from '../../../test/support/sample-fit.ts';
import { insteadText } from './fit-words.ts';

test('a trace whose columns were named is to be replayed by these', () => {
  expect(insteadText(sampleFit())).toBe(
    `load: { trace: 'trace.csv', columns: { at: 'time', session: "user's" } } replays the trace as it was.`,
  );
  expect(insteadText({ ...sampleFit(), columns: undefined })).toBe(
    "load: { trace: 'trace.csv' } replays the trace as it was.",
  );
});
