import { printableTexts } from '../../base/printable.ts';
import type { ProbeDocument } from '../../probe/build-probe.ts';
import { failedShare } from '../../probe/probe-ceiling.ts';
import { rateOf, type LoadFigures, type ProbeStep } from '../../probe/probe.ts';
import { coresText } from '../plan/core-words.ts';
import { countOf, formatCount, formatElapsed, formatMs, formatPerSecond, formatShare } from '../words/format.ts';
import { agentText } from '../words/agent-text.ts';
import { oneLine } from '../words/one-line.ts';
import { paragraph } from '../words/paragraph.ts';
import { ceilingText, generatorText, limitText, suggestionTexts } from './probe-words.ts';
import { renderTable, type Style } from '../words/table.ts';
import { wrap } from '../words/wrap.ts';

/** Renders what a probe found, as text for a terminal. */
export function renderProbe(document: ProbeDocument, style: Style): string {
  const probe = printableTexts(document);
  const { bold } = style.colors;
  const parts = [
    bold(headOf(probe)),
    [`target    ${targetText(probe)}`, `load      ${loadText(probe)}`].join('\n'),
    ...(probe.steps.length === 0 ? [] : [stepTable(probe.steps, style), legend(style)]),
    findings(probe, style),
    ...(probe.warnings.length === 0 ? [] : [warningText(probe, style)]),
  ];
  return parts.join('\n\n');
}

function headOf({ end, turnsSent, elapsedMs }: ProbeDocument): string {
  const how = end === 'signal' ? 'stopped' : 'completed';
  return `probe: ${how} after ${formatElapsed(elapsedMs)}, ${countOf(turnsSent, 'turn')} sent to the target`;
}

const targetText = ({ target: { embedded, baseUrl, agentId } }: ProbeDocument): string =>
  `${embedded ? 'embedded reference service' : oneLine(baseUrl, Infinity)}${agentText(oneLine(agentId, Infinity))}`;

const loadText = ({ scenario }: ProbeDocument): string =>
  `${scenario === null ? 'built-in short messages' : `what ${oneLine(scenario, Infinity)} says`}, without think times or retries`;

function stepTable(steps: readonly ProbeStep[], style: Style): string {
  const right = 'right' as const;
  const columns = [
    { head: 'CONNECTIONS', align: right },
    { head: 'autocannon', align: right },
    { head: 'chat-load', align: right },
    { head: 'reply time', align: right },
    { head: 'CPU a/c', align: right },
    { head: 'not ok' },
  ];
  const rows = steps.map((step) => [
    formatCount(step.connections),
    rateText(step.autocannon),
    rateText(step.chatLoad),
    rateOf(step) === 0 ? '-' : formatMs((step.connections * 1000) / rateOf(step)),
    `${cpuText(step.autocannon)} / ${cpuText(step.chatLoad)}`,
    notOkText(step),
  ]);
  return renderTable(columns, rows, style).trimStart();
}

const rateText = (figures: LoadFigures | null): string =>
  figures === null ? '-' : formatPerSecond(figures.turnsPerSecond);

const cpuText = (figures: LoadFigures | null): string =>
  figures === null ? '-' : `${String(Math.round(figures.cpuShare * 100))} %`;

/** Of the load with more failures: their share, and the most frequent class. */
function notOkText({ autocannon, chatLoad }: ProbeStep): string {
  const worst = [autocannon, chatLoad].reduce<LoadFigures | null>(
    (a, b) => (b !== null && (a === null || failedShare(b) > failedShare(a)) ? b : a),
    null,
  );
  if (worst === null || failedShare(worst) === 0) return '-';
  const wrong = Object.entries(worst.classes).filter(([name]) => name !== 'ok');
  const [most] = wrong.sort(([, a], [, b]) => b - a).map(([name]) => name);
  return `${formatShare(failedShare(worst))} ${String(most)}${wrong.length > 1 ? ', ...' : ''}`;
}

const legend = ({ colors, width }: Style): string =>
  colors.dim(
    wrap(
      'Ok turns per second, closed load with one session per connection: first by autocannon (counted by chat-load), then by chat-load itself. Reply time is connections / the better rate. CPU is the share of a core that this process used with a(utocannon) and c(hat-load).',
      width,
    ).join('\n'),
  );

function findings(probe: ProbeDocument, style: Style): string {
  const { colors } = style;
  const rows: string[][] = [
    ['TARGET', ceilingText(probe)],
    ['GENERATOR', generatorText(probe)],
    ['LIMIT', limitText(probe, colors.bold)],
    ...(probe.cores === null ? [] : [['CORES', coresText(probe.cores)]]),
    ...suggestionTexts(probe).map((text, index) => [index === 0 ? 'SUGGESTED' : '', text]),
  ];
  return renderTable([{ head: '' }, { head: '' }], rows, style).trimStart();
}

const warningText = ({ warnings }: ProbeDocument, { colors, width }: Style): string =>
  warnings
    .map(({ message, remedy }) => {
      const first = `${colors.yellow('warning')} `;
      return paragraph(`${message}${remedy === null ? '' : ` ${remedy}`}`, { width, first });
    })
    .join('\n');
