import type { z } from 'zod';
import type { CapacityComparison } from '../capacity/compare/capacity-comparison.ts';
import type { Capacity } from '../capacity/document/capacity.ts';
import type { Comparison } from '../compare/document/comparison.ts';
import type { Trend } from '../compare/trend/trend.ts';
import type { DatasetDocument } from '../dataset/inspect/dataset-document.ts';
import type { CheckDocument } from '../conformance/check-document.ts';
import type { Fit } from '../fit/document/fit.ts';
import type { ProbeDocument } from '../probe/build-probe.ts';
import type { Result } from '../result/result.ts';
import type { Calibration } from '../result/sections/calibration.ts';
import type { PlanView } from './plan/plan-document.ts';

/** Every document that a command prints. */
export interface Documents {
  'chat-load/result': Result;
  'chat-load/comparison': Comparison;
  'chat-load/trend': Trend;
  'chat-load/check': CheckDocument;
  'chat-load/probe': ProbeDocument;
  'chat-load/plan': PlanView;
  'chat-load/calibration': Calibration;
  'chat-load/capacity': Capacity;
  'chat-load/dataset': DatasetDocument;
  'chat-load/fit': Fit;
  'chat-load/capacity-comparison': CapacityComparison;
}
export type Kind = keyof Documents;

/** How each kind is read, loaded when it is asked for. */
export const schemas: { readonly [Each in Kind]: () => Promise<z.ZodType<Documents[Each]>> } = {
  'chat-load/result': async () => (await import('../result/result.ts')).resultSchema,
  'chat-load/comparison': async () => (await import('../compare/document/comparison.ts')).comparisonSchema,
  'chat-load/trend': async () => (await import('../compare/trend/trend.ts')).trendSchema,
  'chat-load/check': async () => (await import('../conformance/check-document.ts')).checkSchema,
  'chat-load/probe': async () => (await import('../probe/build-probe.ts')).probeSchema,
  'chat-load/plan': async () => (await import('./plan/plan-document.ts')).planDocumentSchema,
  'chat-load/calibration': async () => (await import('../result/sections/calibration.ts')).calibrationSchema,
  'chat-load/capacity': async () => (await import('../capacity/document/capacity.ts')).capacitySchema,
  'chat-load/dataset': async () => (await import('../dataset/inspect/dataset-document.ts')).datasetSchema,
  'chat-load/fit': async () => (await import('../fit/document/fit.ts')).fitSchema,
  'chat-load/capacity-comparison': async () =>
    (await import('../capacity/compare/capacity-comparison.ts')).capacityComparisonSchema,
};

export const kinds = Object.keys(schemas) as readonly Kind[];
