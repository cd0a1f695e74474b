import { printable } from '../../base/printable.ts';
import type { Result } from '../../result/result.ts';
import type { Ending } from '../words/renderer.ts';
import type { Style } from '../words/table.ts';
import { renderResult } from './render-result.ts';
import { verdictLine } from './verdict-line.ts';

/** The tables of a run, its file and the line of its verdict. */
export function renderResultTerminal(
  result: Result,
  style: Style,
  { path, verdict = verdictLine(result) }: Ending,
): string {
  if (path === undefined) return `${renderResult(result, style)}\n\n${verdict}`;
  return `${renderResult(result, style, { verdict, path })}\n\nresult    ${printable(path)}\n${verdict}`;
}
