import { printableTexts } from '../base/printable.ts';
import type { Calibration } from '../result/sections/calibration.ts';
import { asIs, flush, heads, table, text } from './outline/outline.ts';
import type { Report } from './outline/report.ts';
import { formatCount, formatMs, formatRate } from '../base/format.ts';

const columns = heads('>TURNS/S', '>in flight', '>attempt p50', '>p95/1', '>p99', '>effective p50', '>p95/1', '>p99');

export const calibrationReport: Report<Calibration> = {
  outline: (document, { kept }) => {
    const { machine, toolVersion, loads, notCarried } = printableTexts(document);
    const rows = loads.map(({ attemptsPerSecond, turnsInFlight, attempt, effective }) => [
      ...[attemptsPerSecond, turnsInFlight].map(formatCount),
      ...[attempt, effective].flatMap(({ p50Ms, p95Ms, p99Ms }) => [p50Ms, p95Ms, p99Ms].map(formatMs)),
    ]);
    const head = `Measurement error of this generator: chat-load ${toolVersion} on ${machine}`;
    return [
      { blocks: [text(head, 'bold')] },
      { blocks: [table('', columns, rows)] },
      { blocks: [flush(legend, 'dim')] },
      { blocks: [text(notCarried === null ? '' : notCarriedText(notCarried))] },
      { blocks: [asIs(kept === undefined ? '' : `saved to  ${kept}`)] },
    ];
  },
};

const legend =
  'Each row is an open load on a local responder that measures its own reply time. Each figure is an error: the maximum difference between the percentile that a run reports and the true one, for attempt and for effective latency. All time outside the responder counts as the generator’s.';

export function notCarriedText({ turnsPerSecond, holdMs }: NonNullable<Calibration['notCarried']>): string {
  return `${formatRate(turnsPerSecond, 'turn')} with replies after ${formatMs(holdMs)} exceeds the capacity of this generator; higher loads were not calibrated.`;
}
