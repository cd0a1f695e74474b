import { sampleOf, type DoubtfulSample, type FeatureSample } from '../../../../test/support/feature-sample.ts';
import type { Capacity } from '../document/capacity.ts';
import { capacityComparisonReport } from '../report/capacity-comparison-outline.ts';
import { capacityReport } from '../report/capacity-outline.ts';
import { capacitiesCompared } from './compared-capacities.ts';
import { sampleCapacity } from './sample-capacity.ts';

const whole = sampleCapacity();
const stopped = sampleCapacity({}, { outcome: 'stopped', warnings: ['w'] });
const unsure: Capacity = { ...sampleCapacity({}, { by: 'rate' }), outcome: 'generator_limited' };

export const samples: readonly FeatureSample[] = [
  sampleOf('a search', capacityReport, whole),
  sampleOf('a search that was stopped, with an unknown unit', capacityReport, {
    ...stopped,
    objectives: stopped.objectives.map((each) => ({ ...each, unit: 'fathoms' })),
  }),
  sampleOf('a search without an answer', capacityReport, {
    ...unsure,
    steps: unsure.steps.map((step) => ({ ...step, load: step.load / 7, verdict: 'undecided' as const })),
  }),
  sampleOf('a comparison of capacities', capacityComparisonReport, capacitiesCompared()),
];

const marked = /~[\d.]+(?: m?s)?-[\d.]+ m?s/;

export const doubtful: readonly DoubtfulSample[] = [
  {
    document: {
      ...whole,
      steps: whole.steps.map((step) => ({
        ...step,
        figures: { ...step.figures, turnP50ErrorMs: 90, turnP95ErrorMs: 90, turnMeanErrorMs: 90 },
      })),
    } as Capacity,
    marks: {
      terminal: marked,
      html: marked,
      markdown: marked,
      csv: /turnP95ErrorMs/,
      json: /"turnP95ErrorMs": 90/,
      junit: 'its cases state verdicts and loads',
    },
  },
  { document: capacitiesCompared(), marks: 'compares loads' },
];
