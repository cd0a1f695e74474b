import type { GateVerdict } from '../../result/gates/gates.ts';
import type { Result } from '../../result/result.ts';
import {
  countOf,
  formatCount,
  formatMs,
  formatNumber,
  formatPerHour,
  formatPerSecond,
  formatShare,
} from '../words/format.ts';
import { paragraph } from '../words/paragraph.ts';
import { renderTable, type Style } from '../words/table.ts';
import { wrap } from '../words/wrap.ts';

/** Gates with their limits and values; '' without gates. */
export function gateTable({ gates }: Result, style: Style): string {
  if (gates.length === 0) return '';
  const rows = orderGates(gates).map((gate) => [
    verdictText(gate.verdict, style),
    gate.metric,
    conditionText(gate),
    actualText(gate),
  ]);
  return renderTable([{ head: 'GATE' }, { head: 'metric' }, { head: 'condition' }, { head: 'was' }], rows, style);
}

/** Gates as they matter: those that failed, those that had nothing to judge, those that passed. */
export function orderGates(gates: readonly GateVerdict[]): GateVerdict[] {
  return (['fail', 'no-data', 'pass'] as const).flatMap((each) => gates.filter(({ verdict }) => verdict === each));
}

/** Whether replies fit their conversations; '' where the guard was off. */
export function integrityLine(result: Result, { colors, width }: Style): string {
  const { verdict, mode, replies, untagged } = result.integrity;
  const { failed, replies: looked } = result.books.integrity;
  const line = (word: string, text: string): string => paragraph(text, { width, first: `INTEGRITY ${word}: ` });
  switch (verdict) {
    case 'off':
      return '';
    case 'no-data':
      return line(colors.yellow('no data'), 'there was no reply to check');
    case 'pass':
      return line(
        colors.green('pass'),
        `${countOf(replies, 'reply', 'replies')}${mode === 'listen' ? ', passive checks' : ''}${brokenChecks(result.outcomes)}`,
      );
    case 'unsupported':
      return line(colors.red('unsupported'), 'the agent does not repeat tags; see the warning');
    case 'fail':
      return line(
        colors.red('FAIL'),
        failed === 0
          ? `${untagged === 0 ? 'replies of the warm-up' : countOf(untagged, 'reply', 'replies')} returned no tag before the first that did`
          : `${formatCount(failed)} of ${countOf(looked, 'reply', 'replies')} broke a check${inWarmUp(result.books)}`,
      );
  }
}

/** The guard passed: what broke a check broke one of the scenario, which is not part of this verdict. */
const brokenChecks = ({ turns: { check_failed: failed } }: Result['outcomes']): string =>
  failed === 0 ? '' : `; ${countOf(failed, 'turn')} broke a check of the scenario`;

/** The verdict is on the whole run, the table on what was measured. */
export function inWarmUp({ warmUp: { integrity } }: Result['books']): string {
  return integrity.failed === 0 ? '' : `, ${formatCount(integrity.failed)} in the warm-up`;
}

/** Whether the run can be trusted, and if not, why and what to do. */
export function validityLines({ validity }: Result, { colors, width }: Style): string {
  const { verdict, reasons } = validity;
  const paint = { valid: colors.green, degraded: colors.yellow, invalid: colors.red }[verdict];
  const head = `VALIDITY  ${paint(verdict)}${verdict === 'valid' ? ': the generator kept up, the figures can be used' : ''}`;
  const details = reasons.flatMap(({ message, remedy }) => [
    ...wrap(message, width - 4).map((line, index) => `${index === 0 ? '  - ' : '    '}${line}`),
    ...wrap(remedy, width - 4).map((line) => `    ${colors.dim(line)}`),
  ]);
  return [head, ...details].join('\n');
}

/** What else a reader should know; '' when there is nothing. */
export function warningLines({ warnings }: Result, { colors, width }: Style): string {
  const first = `${colors.yellow('warning')} `;
  return warnings
    .map(({ message, remedy }) => paragraph(`${message}${remedy === null ? '' : ` ${remedy}`}`, { width, first }))
    .join('\n');
}

function verdictText(verdict: GateVerdict['verdict'], { colors }: Style): string {
  switch (verdict) {
    case 'pass':
      return colors.green('pass');
    case 'fail':
      return colors.red('FAIL');
    case 'no-data':
      return colors.red('NO DATA');
  }
}

/** `< 2s`; `< 2s, confident` where the interval has to hold. */
export function conditionText({ condition, confident }: GateVerdict): string {
  return confident ? `${condition}, confident` : condition;
}

/** What a gate's metric was, in its unit; or why there was nothing to judge. */
export function actualText({ actual, infinite, interval, unit, reason }: GateVerdict): string {
  if (infinite) return 'infinite: it falls among failed turns';
  if (actual === null) return reason ?? 'no data';
  const range =
    interval === null ? '' : `, ${figureText(interval.low, unit)} to ${figureText(interval.high ?? Infinity, unit)}`;
  return `${figureText(actual, unit)}${range}`;
}

function figureText(actual: number, unit: GateVerdict['unit']): string {
  switch (unit) {
    case 'ms':
      return formatMs(actual);
    case 'share':
      return formatShare(actual);
    case 'perSecond':
      return formatPerSecond(actual);
    case 'perHour':
      return formatPerHour(actual);
    case 'verdict':
      return ['invalid', 'degraded', 'valid'][actual] ?? String(actual);
    case 'ratio':
    case 'count':
      return formatNumber(actual);
  }
}
