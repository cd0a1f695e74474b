import type { Documents, Kind } from './documents.ts';
import type { Section, Writer } from './outline/outline.ts';
import { asJson, type Ending, type Renderer } from './words/renderer.ts';

/** How documents can be printed: by a renderer for each kind that has the format, loaded when it is asked for. */
interface FormatEntry {
  /** The extension of its files. */
  extension: string;
  /** Several documents can be printed one after the other, or together. */
  several?: true;
  renderers: { readonly [Each in Kind]?: () => Promise<Renderer<Documents[Each]>> };
}

// The outlines that all writers of texts share.
const result = async () => (await import('./run/result-outline.ts')).resultOutline;
const comparison = async () => (await import('./comparison/comparison-outline.ts')).comparisonOutline;
const trend = async () => (await import('./trend/trend-outline.ts')).trendOutline;
const capacity = async () => (await import('./capacity/capacity-outline.ts')).capacityOutline;
const capacities = async () =>
  (await import('./capacity-comparison/capacity-comparison-outline.ts')).capacityComparisonOutline;

/** Every format, in the order of `--help`. A new one is an entry here and its renderers. */
const entries = {
  terminal: {
    extension: '.txt',
    several: true,
    renderers: {
      'chat-load/result': inTerminal(result),
      'chat-load/comparison': inTerminal(comparison),
      'chat-load/trend': inTerminal(trend),
      'chat-load/check': async () => (await import('./check/render-check.ts')).renderCheck,
      'chat-load/probe': async () => (await import('./probe/render-probe.ts')).renderProbe,
      'chat-load/plan': async () => (await import('./plan/render-plan.ts')).renderPlan,
      'chat-load/calibration': async () => (await import('./calibration/render-calibration.ts')).renderCalibration,
      'chat-load/capacity': inTerminal(capacity),
      'chat-load/dataset': async () => (await import('./dataset/render-dataset.ts')).renderDataset,
      'chat-load/fit': async () => (await import('./fit/fit-terminal.ts')).renderFitTerminal,
      'chat-load/capacity-comparison': inTerminal(capacities),
    },
  },
  // Pages are drawn from documents together (`pages.ts`).
  html: { extension: '.html', several: true, renderers: {} },
  markdown: {
    extension: '.md',
    several: true,
    renderers: {
      'chat-load/result': inMarkdown(result),
      'chat-load/comparison': inMarkdown(comparison),
      'chat-load/trend': inMarkdown(trend),
      'chat-load/capacity': inMarkdown(capacity),
      'chat-load/capacity-comparison': inMarkdown(capacities),
    },
  },
  junit: {
    extension: '.xml',
    renderers: {
      'chat-load/result': async () => (await import('./run/result-junit.ts')).renderResultJunit,
      'chat-load/comparison': async () => (await import('./comparison/comparison-junit.ts')).renderComparisonJunit,
      'chat-load/check': async () => (await import('./check/render-check.ts')).renderCheckJunit,
      'chat-load/capacity': async () => (await import('./capacity/capacity-junit.ts')).renderCapacityJunit,
      'chat-load/capacity-comparison': async () =>
        (await import('./capacity-comparison/capacity-comparison-outline.ts')).renderCapacityComparisonJunit,
    },
  },
  csv: {
    extension: '.csv',
    renderers: {
      'chat-load/result': async () => (await import('./run/interval-csv.ts')).renderIntervalCsv,
      'chat-load/capacity': async () => (await import('./capacity/capacity-csv.ts')).renderCapacityCsv,
    },
  },
  hlog: {
    extension: '.hlog',
    renderers: { 'chat-load/result': async () => (await import('./run/interval-hlog.ts')).renderIntervalHlog },
  },
  json: {
    extension: '.json',
    renderers: {
      'chat-load/result': inJson,
      'chat-load/comparison': inJson,
      'chat-load/trend': inJson,
      'chat-load/check': inJson,
      'chat-load/probe': inJson,
      'chat-load/plan': inJson,
      'chat-load/calibration': inJson,
      'chat-load/capacity': inJson,
      'chat-load/dataset': inJson,
      'chat-load/fit': inJson,
      'chat-load/capacity-comparison': inJson,
    },
  },
} as const satisfies Readonly<Record<string, FormatEntry>>;

export type Format = keyof typeof entries;
/** A format that is made of a document alone. */
export type TextFormat = Exclude<Format, 'html'>;

export const formats = Object.keys(entries) as readonly Format[];
const table: Readonly<Record<Format, FormatEntry>> = entries;

/** The format of a file by its extension, and all extensions. */
export const formatByExtension: ReadonlyMap<string, Format> = new Map(
  formats.map((format) => [table[format].extension, format]),
);

/** Formats of which several documents cannot be one. */
export const singleFormats = formats.filter((format) => table[format].several === undefined);

/** What renders a kind of document in a format; `undefined`: it has no such format. */
export async function rendererOf<Each extends Kind>(
  kind: Each,
  format: TextFormat,
): Promise<Renderer<Documents[Each]> | undefined> {
  return table[format].renderers[kind]?.();
}

/** Whether a kind of document can be printed as text in a format. */
export function hasRenderer(kind: Kind, format: Format): boolean {
  return table[format].renderers[kind] !== undefined;
}

/** Loads the outline of a kind of document: its sections for a writer. */
type LoadOutline<Document> = () => Promise<(document: Document, ending: Ending, writer: Writer) => readonly Section[]>;

function inTerminal<Document>(load: LoadOutline<Document>): () => Promise<Renderer<Document>> {
  return async () => {
    const [outline, { writeTerminal }] = await Promise.all([load(), import('./outline/write-terminal.ts')]);
    return (document, style, ending) => writeTerminal(outline(document, ending, 'terminal'), style);
  };
}

function inMarkdown<Document>(load: LoadOutline<Document>): () => Promise<Renderer<Document>> {
  return async () => {
    const [outline, { writeMarkdown }] = await Promise.all([load(), import('./outline/write-markdown.ts')]);
    return (document, _, ending) => writeMarkdown(outline(document, ending, 'markdown'));
  };
}

function inJson(): Promise<Renderer<object>> {
  return Promise.resolve(asJson);
}
