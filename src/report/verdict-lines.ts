import type { GateVerdict } from '../result/gates.ts';
import type { Result } from '../result/result.ts';
import { formatMs, formatNumber, formatPerSecond, formatShare } from './format.ts';
import { renderTable, type Style } from './table.ts';

/** Gates with what they were held against; '' without gates. */
export function gateTable({ gates }: Result, style: Style): string {
  if (gates.length === 0) return '';
  const rows = gates.map((gate) => [verdictText(gate.verdict, style), gate.metric, gate.condition, actualText(gate)]);
  return renderTable([{ head: 'GATE' }, { head: 'metric' }, { head: 'condition' }, { head: 'was' }], rows, style);
}

/** Whether the run can be trusted, and if not, why and what to do. */
export function validityLines({ validity }: Result, { colors }: Style): string {
  const { verdict, reasons } = validity;
  const paint = { valid: colors.green, degraded: colors.yellow, invalid: colors.red }[verdict];
  const head = `VALIDITY  ${paint(verdict)}${verdict === 'valid' ? ': the generator kept up, the figures can be used' : ''}`;
  return [head, ...reasons.flatMap(({ message, remedy }) => [`  - ${message}`, `    ${colors.dim(remedy)}`])].join(
    '\n',
  );
}

/** What else a reader should know; '' when there is nothing. */
export const warningLines = ({ warnings }: Result, { colors }: Style): string =>
  warnings
    .map(
      ({ message, remedy }) =>
        `${colors.yellow('warning')} ${message}${remedy === null ? '' : ` ${colors.dim(remedy)}`}`,
    )
    .join('\n');

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

function actualText({ actual, infinite, unit, reason }: GateVerdict): string {
  if (infinite) return 'infinite: it falls among failed turns';
  if (actual === null) return reason ?? 'no data';
  switch (unit) {
    case 'ms':
      return formatMs(actual);
    case 'share':
      return formatShare(actual);
    case 'perSecond':
      return formatPerSecond(actual);
    case 'verdict':
      return ['invalid', 'degraded', 'valid'][actual] ?? String(actual);
    case 'ratio':
    case 'count':
      return formatNumber(actual);
  }
}
