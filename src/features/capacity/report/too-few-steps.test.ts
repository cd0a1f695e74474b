import { expect, test } from 'vitest';
import { written } from '../../../../test/support/render-outline.ts';
import { sampleCapacity } from '../test/sample-capacity.ts';
import { capacityReport } from './capacity-outline.ts';

test('the steps of a search explain their dashes', () => {
  const { steps, ...capacity } = sampleCapacity();
  const few = steps.map((step) => ({
    ...step,
    sent: 5,
    objectives: step.objectives.map((each) => ({ ...each, actual: null })),
    figures: { ...step.figures, turnP50Ms: null, turnP95Ms: null },
  }));
  const short = { ...capacity, steps: few };
  for (const format of ['terminal', 'markdown'] as const) {
    expect(written(capacityReport, short, { format, width: 120 })).toMatch(
      /-: too few values: p50 needs 11; p95 needs 130/,
    );
    expect(written(capacityReport, sampleCapacity(), { format, width: 120 })).not.toContain('too few values');
  }
});
