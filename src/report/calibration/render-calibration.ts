import { printableTexts } from '../../base/printable.ts';
import type { CalibratedLoad, Calibration } from '../../result/sections/calibration.ts';
import { formatCount, formatMs, formatRate } from '../words/format.ts';
import { fittingTable } from '../words/fitting-table.ts';
import { paragraph } from '../words/paragraph.ts';
import type { Ending } from '../words/renderer.ts';
import type { Style } from '../words/table.ts';
import { wrap } from '../words/wrap.ts';

/** Renders a calibration as text for a terminal, with the file that it is kept in. */
export function renderCalibration(document: Calibration, style: Style, { kept }: Ending = {}): string {
  const { machine, toolVersion, loads, notCarried } = printableTexts(document);
  const head = `How far this generator reads from the truth: chat-load ${toolVersion} on ${machine}`;
  return [
    paragraph(head, { width: style.width, paint: style.colors.bold }),
    loadTable(loads, style),
    legend(style),
    ...(notCarried === null ? [] : [paragraph(notCarriedText(notCarried), style)]),
    ...(kept === undefined ? [] : [`kept in   ${kept}`]),
  ].join('\n\n');
}

/** Which load was too much for this generator. */
export function notCarriedText({ turnsPerSecond, holdMs }: NonNullable<Calibration['notCarried']>): string {
  return `${formatRate(turnsPerSecond, 'turn')} with replies after ${formatMs(holdMs)} is more than this generator carries: no load from there upwards was calibrated.`;
}

function loadTable(loads: readonly CalibratedLoad[], style: Style): string {
  const names = ['TURNS/S', 'in flight', 'attempt p50', 'p95', 'p99', 'effective p50', 'p95', 'p99'];
  const rows = loads.map(({ attemptsPerSecond, turnsInFlight, attempt, effective }) => [
    formatCount(attemptsPerSecond),
    formatCount(turnsInFlight),
    ...[attempt, effective].flatMap(({ p50Ms, p95Ms, p99Ms }) => [p50Ms, p95Ms, p99Ms].map(formatMs)),
  ]);
  const columns = names.map((head) => ({ head, align: 'right' as const, ...(head === 'p95' ? { goes: 1 } : {}) }));
  return fittingTable(columns, rows, style).text.trimStart();
}

const legend = ({ colors, width }: Style): string =>
  colors.dim(
    wrap(
      'Open load against a responder on this machine that measures its own time. The figures are the greatest distance between published and true percentiles; whatever is not the responder’s counts as the generator’s.',
      width,
    ).join('\n'),
  );
