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
import { printableJson } from '../base/printable.ts';
import type { Ending, Report } from './outline/report.ts';
import type { Page } from './page/page.ts';
import type { Style } from './words/table.ts';

/** Documents that commands print, by kind. */
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

/** Loaders of the schema of each kind. */
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

/** Formats of documents, in the order of `--help`, with their file extensions. */
const extensions = {
  terminal: '.txt',
  html: '.html',
  markdown: '.md',
  junit: '.xml',
  csv: '.csv',
  hlog: '.hlog',
  json: '.json',
} as const;

export type Format = keyof typeof extensions;
/** Formats that are text; HTML needs the code of the page. */
export type TextFormat = Exclude<Format, 'html'>;
export const formats = Object.keys(extensions) as readonly Format[];

/** Formats by file extension. */
export const formatByExtension: ReadonlyMap<string, Format> = new Map(
  formats.map((format) => [extensions[format], format]),
);

/** Formats that cannot contain several documents. */
export const singleFormats: readonly Format[] = ['junit', 'csv', 'hlog', 'json'];

/** Loaders of the report of each kind, and its formats besides terminal and JSON. */
const reports: {
  readonly [Each in Kind]: { also?: readonly Format[]; load: () => Promise<Report<Documents[Each]>> };
} = {
  'chat-load/result': {
    also: ['html', 'markdown', 'junit', 'csv', 'hlog'],
    load: async () => (await import('./run/result-outline.ts')).resultReport,
  },
  'chat-load/comparison': {
    also: ['html', 'markdown', 'junit'],
    load: async () => (await import('./comparison/comparison-outline.ts')).comparisonReport,
  },
  'chat-load/trend': {
    also: ['html', 'markdown'],
    load: async () => (await import('./trend/trend-outline.ts')).trendReport,
  },
  'chat-load/check': { also: ['junit'], load: async () => (await import('./check/check-outline.ts')).checkReport },
  'chat-load/probe': { load: async () => (await import('./probe/probe-outline.ts')).probeReport },
  'chat-load/plan': { load: async () => (await import('./plan/plan-outline.ts')).planReport },
  'chat-load/calibration': { load: async () => (await import('./calibration-outline.ts')).calibrationReport },
  'chat-load/capacity': {
    also: ['html', 'markdown', 'junit', 'csv'],
    load: async () => (await import('./capacity/capacity-outline.ts')).capacityReport,
  },
  'chat-load/dataset': { load: async () => (await import('./dataset/dataset-outline.ts')).datasetReport },
  'chat-load/fit': { load: async () => (await import('./fit/fit-outline.ts')).fitReport },
  'chat-load/capacity-comparison': {
    also: ['html', 'markdown', 'junit'],
    load: async () => (await import('./capacity-comparison/capacity-comparison-outline.ts')).capacityComparisonReport,
  },
};

/** Returns the formats of a kind, in the order of all formats. */
export function formatsOf(kind: Kind): readonly Format[] {
  const { also = [] } = reports[kind];
  return formats.filter((format) => format === 'terminal' || format === 'json' || also.includes(format));
}

/** Renders a document in a format, without a final line break; `undefined` if it does not have the format. */
export async function renderDocument<Each extends Kind>(
  document: Documents[Each] & { kind: Each },
  { format, style, ...ending }: Ending & { format: TextFormat; style: Style },
): Promise<string | undefined> {
  if (format === 'json') return printableJson(document, 2).trimEnd();
  if (!formatsOf(document.kind).includes(format)) return undefined;
  const [report, { writeText }] = await Promise.all([reports[document.kind].load(), import('./outline/write-text.ts')]);
  return writeText<Documents[Each]>(report, document, { format, style, ending })?.trimEnd();
}

/** Builds the page of documents of a kind; `undefined` if the kind has none. */
export async function pageOf<Each extends Kind>(
  kind: Each,
  documents: readonly Documents[Each][],
  ending: Ending = {},
): Promise<Page | undefined> {
  if (!formatsOf(kind).includes('html')) return undefined;
  const report: Report<Documents[Each]> = await reports[kind].load();
  return report.page?.(documents, ending);
}
