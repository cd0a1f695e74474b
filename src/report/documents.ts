import type { z } from 'zod';
import { printableJson } from '../base/printable.ts';
import type { Ending, Report } from './outline/report.ts';
import type { Page } from './page/page.ts';
import type { Style } from './words/table.ts';

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
/** Commands for GitHub, which are printed besides the requested format. */
export type Annotations = 'annotations';
export const formats = Object.keys(extensions) as readonly Format[];

export const formatByExtension: ReadonlyMap<string, Format> = new Map(
  formats.map((format) => [extensions[format], format]),
);

/** Formats that cannot contain several documents. */
export const singleFormats: readonly Format[] = ['junit', 'csv', 'hlog', 'json'];

/** Loaders of the schema and the report of each kind of document, and its formats besides terminal and JSON. */
const loaders = {
  'chat-load/result': {
    schema: async () => (await import('../result/result.ts')).resultSchema,
    report: async () => (await import('./run/result-outline.ts')).resultReport,
    also: ['html', 'markdown', 'junit', 'csv', 'hlog'],
  },
  'chat-load/comparison': {
    schema: async () => (await import('../compare/document/comparison.ts')).comparisonSchema,
    report: async () => (await import('./comparison/comparison-outline.ts')).comparisonReport,
    also: ['html', 'markdown', 'junit'],
  },
  'chat-load/trend': {
    schema: async () => (await import('../compare/trend/trend.ts')).trendSchema,
    report: async () => (await import('./trend/trend-outline.ts')).trendReport,
    also: ['html', 'markdown'],
  },
  'chat-load/check': {
    schema: async () => (await import('../conformance/check-document.ts')).checkSchema,
    report: async () => (await import('./check-outline.ts')).checkReport,
    also: ['junit'],
  },
  'chat-load/plan': {
    schema: async () => (await import('./plan/plan-document.ts')).planDocumentSchema,
    report: async () => (await import('./plan/plan-outline.ts')).planReport,
  },
  'chat-load/calibration': {
    schema: async () => (await import('../calibrate/calibration-document.ts')).calibrationDocumentSchema,
    report: async () => (await import('./calibration-outline.ts')).calibrationReport,
  },
  'chat-load/capacity': {
    schema: async () => (await import('../capacity/document/capacity.ts')).capacitySchema,
    report: async () => (await import('./capacity/capacity-outline.ts')).capacityReport,
    also: ['html', 'markdown', 'junit', 'csv'],
  },
  'chat-load/dataset': {
    schema: async () => (await import('../dataset/inspect/dataset-document.ts')).datasetSchema,
    report: async () => (await import('./dataset/dataset-outline.ts')).datasetReport,
  },
  'chat-load/fit': {
    schema: async () => (await import('../fit/document/fit.ts')).fitSchema,
    report: async () => (await import('./fit/fit-outline.ts')).fitReport,
  },
  'chat-load/capacity-comparison': {
    schema: async () => (await import('../capacity/compare/capacity-comparison.ts')).capacityComparisonSchema,
    report: async () => (await import('./comparison/capacity-comparison-outline.ts')).capacityComparisonReport,
    also: ['html', 'markdown', 'junit'],
  },
} as const satisfies Record<string, { schema: () => Promise<z.ZodType>; report: unknown; also?: readonly Format[] }>;

export type Kind = keyof typeof loaders;
export const kinds = Object.keys(loaders) as readonly Kind[];

/** Documents that commands print, by kind. */
export type Documents = { [Each in Kind]: z.infer<Awaited<ReturnType<(typeof loaders)[Each]['schema']>>> };

const entries: {
  readonly [Each in Kind]: {
    schema: () => Promise<z.ZodType<Documents[Each]>>;
    report: () => Promise<Report<Documents[Each]>>;
    also?: readonly Format[];
  };
} = loaders;

export function schemaOf<Each extends Kind>(kind: Each): Promise<z.ZodType<Documents[Each]>> {
  return entries[kind].schema();
}

/** Returns the formats of a kind, in the order of all formats. */
export function formatsOf(kind: Kind): readonly Format[] {
  const all: readonly Format[] = ['terminal', 'json', ...(entries[kind].also ?? [])];
  return formats.filter((format) => all.includes(format));
}

/** Renders a document in a format, without a final line break; `undefined` if it does not have the format. */
export async function renderDocument<Each extends Kind>(
  document: Documents[Each] & { kind: Each },
  { format, style, ...ending }: Ending & { format: TextFormat | Annotations; style: Style },
): Promise<string | undefined> {
  if (format === 'json') return printableJson(document, 2).trimEnd();
  if (format !== 'annotations' && !formatsOf(document.kind).includes(format)) return undefined;
  const [report, { writeText }] = await Promise.all([
    entries[document.kind].report(),
    import('./outline/write-text.ts'),
  ]);
  return writeText<Documents[Each]>(report, document, { format, style, ending })?.trimEnd();
}

/** Builds the page of documents of a kind; `undefined` if the kind has none. */
export async function pageOf<Each extends Kind>(
  kind: Each,
  documents: readonly Documents[Each][],
  ending: Ending = {},
): Promise<Page | undefined> {
  if (!formatsOf(kind).includes('html')) return undefined;
  const report: Report<Documents[Each]> = await entries[kind].report();
  return report.page?.(documents, ending);
}
