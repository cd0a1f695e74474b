import type { Comparison } from '../compare/document/comparison.ts';
import type { Trend } from '../compare/trend/trend.ts';
import type { CheckDocument } from '../conformance/check-document.ts';
import type { ProbeDocument } from '../probe/build-probe.ts';
import type { Result } from '../result/result.ts';
import type { Calibration } from '../result/sections/calibration.ts';
import { formats, type Format } from './words/formats.ts';
import type { PlanView } from './plan/plan-document.ts';
import type { Page } from './page/page.ts';
import type { Ending, Renderable, TextFormat } from './words/renderable.ts';
import type { Style } from './words/table.ts';

export interface Documents {
  'chat-load/result': Result;
  'chat-load/comparison': Comparison;
  'chat-load/trend': Trend;
  'chat-load/check': CheckDocument;
  'chat-load/probe': ProbeDocument;
  'chat-load/plan': PlanView;
  'chat-load/calibration': Calibration;
}
export type Kind = keyof Documents;

/** Every document that a command prints, loaded when it is asked for: a new one is a row here and the table of its formats. */
export const renderers: { readonly [Each in Kind]: () => Promise<Renderable<Documents[Each]>> } = {
  'chat-load/result': async () => (await import('./run/result-formats.ts')).resultFormats,
  'chat-load/comparison': async () => (await import('./comparison/comparison-formats.ts')).comparisonFormats,
  'chat-load/trend': async () => (await import('./trend/trend-formats.ts')).trendFormats,
  'chat-load/check': async () => (await import('./check/check-formats.ts')).checkFormats,
  'chat-load/probe': async () => (await import('./probe/probe-formats.ts')).probeFormats,
  'chat-load/plan': async () => (await import('./plan/plan-formats.ts')).planFormats,
  'chat-load/calibration': async () => (await import('./calibration/calibration-formats.ts')).calibrationFormats,
};

/** A document in one of its formats, without a line break at its end; `undefined`: it has no such format. */
export async function renderDocument<Each extends Kind>(
  document: Documents[Each] & { kind: Each },
  { format, style, ...ending }: Ending & { format: TextFormat; style: Style },
): Promise<string | undefined> {
  const { formats } = await renderers[document.kind]();
  return formats[format]?.(document, style, ending).trimEnd();
}

/** How documents of a kind, one or several together, are shown as a page. */
const pages: {
  readonly [Each in Kind]?: () => Promise<(documents: readonly Documents[Each][], ending: Ending) => Page>;
} = {
  'chat-load/result': async () => (await import('./page/result/view-results.ts')).viewResults,
  'chat-load/comparison': async () => {
    const { viewComparison } = await import('./page/comparison/view-comparison.ts');
    return onlyOne((comparison, { runs }) => viewComparison(comparison, runs));
  },
  'chat-load/trend': async () => onlyOne((await import('./page/trend/view-trend.ts')).viewTrend),
};

/** Of these a page shows one; several are refused where files are read. */
function onlyOne<Document>(
  view: (document: Document, ending: Ending) => Page,
): (documents: readonly Document[], ending: Ending) => Page {
  return ([document], ending) => {
    if (document === undefined) throw new RangeError('a page shows a document');
    return view(document, ending);
  };
}

/** The page of documents of a kind; `undefined`: they have none. */
export async function pageOf<Each extends Kind>(
  kind: Each,
  documents: readonly Documents[Each][],
  ending: Ending = {},
): Promise<Page | undefined> {
  const view = await pages[kind]?.();
  return view?.(documents, ending);
}

/** The formats of a kind, in the order of the list of all. */
export async function formatsOf(kind: Kind): Promise<readonly Format[]> {
  const known = Object.keys((await renderers[kind]()).formats);
  return formats.filter((format) => known.includes(format) || (format === 'html' && pages[kind] !== undefined));
}
