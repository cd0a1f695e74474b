import { printableTexts } from '../base/printable.ts';
import type { Calibration } from '../result/sections/calibration.ts';
import { asIs, flush, heads, text } from './outline/outline.ts';
import type { Report } from './outline/report.ts';
import { formatCount, formatMs, formatRate } from '../base/format.ts';

const columns = heads('>TURNS/S', '>in flight', '>attempt p50', '>p95/1', '>p99', '>effective p50', '>p95/1', '>p99');

/** A calibration, with the file that it is kept in. */
export const calibrationReport: Report<Calibration> = {
  outline: (document, { kept }) => {
    const { machine, toolVersion, loads, notCarried } = printableTexts(document);
    const rows = loads.map(({ attemptsPerSecond, turnsInFlight, attempt, effective }) => ({
      cells: [
        ...[attemptsPerSecond, turnsInFlight].map(formatCount),
        ...[attempt, effective].flatMap(({ p50Ms, p95Ms, p99Ms }) => [p50Ms, p95Ms, p99Ms].map(formatMs)),
      ],
    }));
    const head = `How far this generator reads from the truth: chat-load ${toolVersion} on ${machine}`;
    return [
      { blocks: [text(head, 'bold')] },
      { blocks: [{ type: 'table', title: '', columns, rows }] },
      {
        blocks: [
          flush(
            'Open load against a responder on this machine that measures its own time. The figures are the greatest distance between published and true percentiles; whatever is not the responder’s counts as the generator’s.',
            'dim',
          ),
        ],
      },
      { blocks: [text(notCarried === null ? '' : notCarriedText(notCarried))] },
      { blocks: [asIs(kept === undefined ? '' : `kept in   ${kept}`)] },
    ];
  },
};

/** Which load was too much for this generator. */
export function notCarriedText({ turnsPerSecond, holdMs }: NonNullable<Calibration['notCarried']>): string {
  return `${formatRate(turnsPerSecond, 'turn')} with replies after ${formatMs(holdMs)} is more than this generator carries: no load from there upwards was calibrated.`;
}
