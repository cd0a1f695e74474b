import type { z } from 'zod';
import { Contributions } from '../base/contributions.ts';
import { printableJson } from '../base/printable.ts';
import type { CalibrationDocument } from '../calibrate/calibration-document.ts';
import type { Comparison } from '../compare/document/comparison.ts';
import type { Trend } from '../compare/trend/trend.ts';
import type { CheckDocument } from '../conformance/check-document.ts';
import type { DatasetDocument } from '../dataset/inspect/dataset-document.ts';
import type { Fit } from '../fit/document/fit.ts';
import type { Result } from '../result/result.ts';
import type { Ending, Report } from './outline/report.ts';
import type { Page } from './page/page.ts';
import type { PlanView } from './plan/plan-document.ts';
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

/** A kind of document: its schema, its report, and its formats besides terminal and JSON. */
export interface DocumentEntry<Document> {
  schema: () => Promise<z.ZodType<Document>>;
  report: () => Promise<Report<Document>>;
  also?: readonly Format[];
  /** Kind that precedes it where kinds are listed. Default: it is the last. */
  after?: Kind;
  /** Commands that write it, as Markdown for the documentation. */
  writer: string;
  /** True if its JSON Schema is published. */
  isPublished?: true;
}

/** Documents that commands print, by kind. Features add theirs. */
export interface Documents {
  'chat-load/result': Result;
  'chat-load/comparison': Comparison;
  'chat-load/trend': Trend;
  'chat-load/check': CheckDocument;
  'chat-load/plan': PlanView;
  'chat-load/calibration': CalibrationDocument;
  'chat-load/dataset': DatasetDocument;
  'chat-load/fit': Fit;
}

export type Kind = keyof Documents;
export type DocumentEntries = { readonly [Each in Kind]?: DocumentEntry<Documents[Each]> };

/** Documents of the core. */
const entries: DocumentEntries = {
  'chat-load/result': {
    schema: async () => (await import('../result/result.ts')).resultSchema,
    report: async () => (await import('./run/result-outline.ts')).resultReport,
    also: ['html', 'markdown', 'junit', 'csv', 'hlog'],
    writer: '`run`, `ab`, `recover`, to a file',
    isPublished: true,
  },
  'chat-load/comparison': {
    schema: async () => (await import('../compare/document/comparison.ts')).comparisonSchema,
    report: async () => (await import('./comparison/comparison-outline.ts')).comparisonReport,
    also: ['html', 'markdown', 'junit'],
    writer: '`compare --json`, `ab --json`',
    isPublished: true,
  },
  'chat-load/trend': {
    schema: async () => (await import('../compare/trend/trend.ts')).trendSchema,
    report: async () => (await import('./trend/trend-outline.ts')).trendReport,
    also: ['html', 'markdown'],
    writer: '`trend --json`',
  },
  'chat-load/check': {
    schema: async () => (await import('../conformance/check-document.ts')).checkSchema,
    report: async () => (await import('./check-outline.ts')).checkReport,
    also: ['junit'],
    writer: '`check --json`',
  },
  'chat-load/plan': {
    schema: async () => (await import('./plan/plan-document.ts')).planDocumentSchema,
    report: async () => (await import('./plan/plan-outline.ts')).planReport,
    writer: '`plan --json`, `run --dry-run --json`',
  },
  'chat-load/calibration': {
    schema: async () => (await import('../calibrate/calibration-document.ts')).calibrationDocumentSchema,
    report: async () => (await import('./calibration-outline.ts')).calibrationReport,
    writer: '`calibrate --json`',
  },
  'chat-load/dataset': {
    schema: async () => (await import('../dataset/inspect/dataset-document.ts')).datasetSchema,
    report: async () => (await import('./dataset/dataset-outline.ts')).datasetReport,
    writer: '`dataset inspect --json`',
    isPublished: true,
  },
  'chat-load/fit': {
    schema: async () => (await import('../fit/document/fit.ts')).fitSchema,
    report: async () => (await import('./fit/fit-outline.ts')).fitReport,
    writer: '`fit --json`',
    isPublished: true,
  },
};

/** Documents of features. */
export const addedDocuments = new Contributions<DocumentEntries>();

/** Returns the kinds of this build, in the order of `--help`. */
export function kinds(): readonly Kind[] {
  const all = Object.keys(entries) as Kind[];
  for (const [kind, { after }] of addedDocuments.all.flatMap((each) => Object.entries(each)))
    all.splice(after === undefined ? all.length : all.indexOf(after) + 1, 0, kind as Kind);
  return all;
}

/** Returns the entry of a kind. Throws for a kind that this build does not have. */
export function entryOf<Each extends Kind>(kind: Each): DocumentEntry<Documents[Each]> {
  const [entry] = [entries, ...addedDocuments.all].flatMap((each) => each[kind] ?? []);
  if (entry === undefined) throw new Error(`This build has no documents of the kind ${kind}.`);
  return entry;
}

export function schemaOf<Each extends Kind>(kind: Each): Promise<z.ZodType<Documents[Each]>> {
  return entryOf(kind).schema();
}

/** Returns the formats of a kind, in the order of all formats. */
export function formatsOf(kind: Kind): readonly Format[] {
  const all: readonly Format[] = ['terminal', 'json', ...(entryOf(kind).also ?? [])];
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
    entryOf<Each>(document.kind).report(),
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
  const report: Report<Documents[Each]> = await entryOf(kind).report();
  return report.page?.(documents, ending);
}
