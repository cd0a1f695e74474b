import { printableTexts } from '../base/printable.ts';
import type { CalibrationDocument, MeasuredTarget } from '../calibrate/calibration-document.ts';
import { failedShare, type CeilingStep, type TargetCeiling } from '../calibrate/target-ceiling.ts';
import type { Calibration } from '../result/sections/calibration.ts';
import {
  asIs,
  fact,
  flush,
  headless,
  heads,
  list,
  painted,
  table,
  text,
  type OutlineBlock,
} from './outline/outline.ts';
import type { Report } from './outline/report.ts';
import { agentText } from './words/target-text.ts';
import { oneLine } from './words/width.ts';
import {
  countOf,
  formatCount,
  formatInstant,
  formatMs,
  formatPerSecond,
  formatRate,
  formatShare,
} from '../base/format.ts';

export const calibrationReport: Report<CalibrationDocument> = {
  outline: (given, { kept }) => {
    const document = printableTexts(given);
    const { target, machine, toolVersion, calibratedAt, startedAt } = document;
    const { steps, warnings } = target;
    const warned = warnings.map(({ message, remedy }) => `${message}${remedy === null ? '' : ` ${remedy}`}`);
    const isNew = calibratedAt >= startedAt;
    return [
      { blocks: [text(`calibration: chat-load ${toolVersion} on ${machine}`, 'bold')] },
      { blocks: [asIs(`target    ${targetText(target)}`)] },
      { blocks: [table('', stepColumns, steps.map(stepCells)), steps.length === 0 ? asIs('') : flush(legend, 'dim')] },
      {
        blocks: [
          headless(({ colors: { bold } }) => [
            ['MACHINE', machineText(document)],
            ['TARGET', ceilingText(target)],
            ...(target.scenario === null ? [] : [['LOAD', loadText(document, bold)]]),
          ]),
        ],
      },
      { blocks: [list(warned, { first: [painted('warning', 'yellow'), ' '] })] },
      ...(isNew ? [{ blocks: errorBlocks(document), isLoose: true }] : []),
      ...(isNew
        ? []
        : [
            {
              blocks: [
                fact(
                  'accuracy',
                  `as calibrated on ${formatInstant(calibratedAt)}; chat-load calibrate shows and renews it`,
                ),
              ],
            },
          ]),
      { blocks: [asIs(kept === undefined ? '' : `saved to  ${kept}`)] },
    ];
  },
};

const targetText = ({ embedded, baseUrl, agentId, scenario }: MeasuredTarget): string =>
  `${embedded ? 'embedded reference service' : oneLine(baseUrl, Infinity)}${agentText(oneLine(agentId, Infinity))}, ${scenario === null ? 'built-in short messages' : `first turns of ${oneLine(scenario, Infinity)}`}`;

const stepColumns = heads('>connections', '>turns/s', '>reply time', '>CPU', 'failed');

const legend =
  'Closed load by autocannon, one session per connection, without think times, retries and history. turns/s: conforming replies. reply time: connections / rate. CPU: share of a core that this process used. failed: share of failed turns, and their most frequent class.';

const stepCells = (step: CeilingStep): string[] => [
  formatCount(step.connections),
  formatPerSecond(step.turnsPerSecond),
  step.turnsPerSecond === 0 ? '-' : formatMs((step.connections * 1000) / step.turnsPerSecond),
  `${String(Math.round(step.cpuShare * 100))} %`,
  failedText(step),
];

function failedText(step: CeilingStep): string {
  const share = failedShare(step);
  if (share === 0) return '-';
  const wrong = Object.entries(step.classes).filter(([name]) => name !== 'ok');
  const [max] = wrong.toSorted(([, a], [, b]) => b - a).map(([name]) => name);
  return `${formatShare(share)} ${String(max)}${wrong.length > 1 ? ', ...' : ''}`;
}

const machineText = ({ sends: { turnsPerSecond, cpuUsPerTurn } }: Calibration): string =>
  `can send ${turnsText(turnsPerSecond)} with one core, ${formatMs(cpuUsPerTurn / 1000)} of CPU time per turn`;

/** Describes the rate that the target took; a minimum unless its ceiling was reached. */
function ceilingText({ ceiling }: MeasuredTarget): string {
  if (ceiling === null) return 'unknown: no turn was ok';
  const { reached, turnsPerSecond, connections } = ceiling;
  const least = reached ? '' : 'at least ';
  return `took ${least}${turnsText(turnsPerSecond)} at ${countOf(connections, 'connection')}: ${reachTexts[ceiling.reason]}`;
}

const reachTexts: Readonly<Record<TargetCeiling['reason'], string>> = {
  no_growth: 'more connections hardly add to it',
  failures: 'with more, over 10 % of the turns fail',
  sender_busy: 'autocannon had no CPU time left to send more',
  most_connections: 'the rate still grew at the maximum number (--max-connections)',
  turns_spent: 'the limit on turns was reached (--max-turns)',
  sessions_refused: 'no more sessions could be created',
  connections_closed: 'with more, the target closed connections',
};

/** Describes the load of the scenario, and the side that it is near. */
function loadText({ target, limit, sends }: CalibrationDocument, bold: (text: string) => string): string {
  const { scenario, plannedPerSecond: planned, ceiling } = target;
  if (limit === null || ceiling === null) return 'unknown: the target was not measured';
  const name = oneLine(String(scenario), Infinity);
  const needs =
    planned === null
      ? `${name} has no think time and sends as fast as replies arrive.`
      : `${name} needs up to ${turnsText(planned)} if replies take as long as on one connection: ${formatShare(planned / ceiling.turnsPerSecond)} of the target's measured rate, ${formatShare(planned / sends.turnsPerSecond)} of this machine's.`;
  return `${needs} ${bold(limitTexts[limit])}`;
}

const limitTexts: Readonly<Record<NonNullable<CalibrationDocument['limit']>, string>> = {
  neither: 'It is near neither.',
  target: 'The target is the limit.',
  machine: 'One core of this machine is the limit: use --cores.',
  unknown: 'It is at least three quarters of the highest rate that was tried; the limit of the target is unknown.',
};

const turnsText = (rate: number): string => formatRate(rate, 'turn');

const errorColumns = heads(
  '>TURNS/S',
  '>in flight',
  '>attempt p50',
  '>p95/1',
  '>p99',
  '>effective p50',
  '>p95/1',
  '>p99',
);

/** Shows the measurement error of the machine, load by load. */
function errorBlocks({ loads, notCarried }: Calibration): OutlineBlock[] {
  const rows = loads.map(({ attemptsPerSecond, turnsInFlight, attempt, effective }) => [
    ...[attemptsPerSecond, turnsInFlight].map(formatCount),
    ...[attempt, effective].flatMap(({ p50Ms, p95Ms, p99Ms }) => [p50Ms, p95Ms, p99Ms].map(formatMs)),
  ]);
  return [
    text('Measurement error of this machine', 'bold'),
    table('', errorColumns, rows),
    flush(errorLegend, 'dim'),
    text(notCarried === null ? '' : notCarriedText(notCarried)),
  ];
}

const errorLegend =
  'Each row is an open load on a local responder that measures its own reply time. Each figure is an error: the maximum difference between the percentile that a run reports and the true one, for attempt and for effective latency. All time outside the responder counts as the generator’s.';

export function notCarriedText({ turnsPerSecond, holdMs }: NonNullable<Calibration['notCarried']>): string {
  return `${formatRate(turnsPerSecond, 'turn')} with replies after ${formatMs(holdMs)} exceeds the capacity of this generator; higher loads were not calibrated.`;
}
