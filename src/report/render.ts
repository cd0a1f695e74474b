import type { Documents, Kind } from './documents.ts';
import { formats, hasRenderer, rendererOf, type Format, type TextFormat } from './formats.ts';
import type { Page } from './page/page.ts';
import type { Ending } from './words/renderer.ts';
import type { Style } from './words/table.ts';

/** A document in one of its formats, without a line break at its end; `undefined`: it has no such format. */
export async function renderDocument<Each extends Kind>(
  document: Documents[Each] & { kind: Each },
  { format, style, ...ending }: Ending & { format: TextFormat; style: Style },
): Promise<string | undefined> {
  const render = await rendererOf<Each>(document.kind, format);
  return render?.(document, style, ending).trimEnd();
}

/** How documents of a kind, one or several together, are shown as a page. */
const pages: {
  readonly [Each in Kind]?: () => Promise<(documents: readonly Documents[Each][], ending: Ending) => Page>;
} = {
  'chat-load/result': async () => (await import('./run/result-outline.ts')).viewResults,
  'chat-load/comparison': async () => {
    const { viewComparison } = await import('./comparison/comparison-outline.ts');
    return onlyOne((comparison, { runs }) => viewComparison(comparison, runs));
  },
  'chat-load/trend': async () => onlyOne((await import('./trend/trend-outline.ts')).viewTrend),
  'chat-load/capacity': async () => onlyOne((await import('./capacity/capacity-outline.ts')).viewCapacity),
  'chat-load/capacity-comparison': async () =>
    onlyOne((await import('./capacity-comparison/capacity-comparison-outline.ts')).viewCapacityComparison),
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
export function formatsOf(kind: Kind): readonly Format[] {
  return formats.filter((format) => (format === 'html' ? pages[kind] !== undefined : hasRenderer(kind, format)));
}
