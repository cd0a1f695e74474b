import { printableTexts } from '../base/printable.ts';
import type { ProbeDocument } from '../probe/build-probe.ts';
import { failedShare, type TargetCeiling } from '../probe/probe-ceiling.ts';
import { rateOf, type LoadFigures, type ProbeStep } from '../probe/probe.ts';
import { asIs, flush, headless, heads, list, painted, table, text, type Section } from './outline/outline.ts';
import type { Report } from './outline/report.ts';
import { coresText } from './plan/plan-text.ts';
import { agentText } from './words/target-text.ts';
import {
  countOf,
  formatCount,
  formatElapsed,
  formatMs,
  formatNumber,
  formatPerSecond,
  formatRate,
  formatShare,
} from '../base/format.ts';
import { oneLine } from './words/width.ts';

export const probeReport: Report<ProbeDocument> = { outline: probeOutline };

function probeOutline(document: ProbeDocument): Section[] {
  const probe = printableTexts(document);
  const { steps, warnings } = probe;
  const warned = warnings.map(({ message, remedy }) => `${message}${remedy === null ? '' : ` ${remedy}`}`);
  return [
    { blocks: [text(headText(probe), 'bold')] },
    { blocks: [asIs(`target    ${targetText(probe)}`), asIs(`load      ${loadText(probe)}`)] },
    { blocks: [table('', stepColumns, steps.map(stepCells))] },
    { blocks: steps.length === 0 ? [] : [flush(legend, 'dim')] },
    {
      blocks: [
        headless(({ colors: { bold } }) => [
          ['TARGET', ceilingText(probe)],
          ['GENERATOR', generatorText(probe)],
          ['LIMIT', limitText(probe, bold)],
          ...(probe.cores === null ? [] : [['CORES', coresText(probe.cores)]]),
          ...suggestionTexts(probe).map((words, index) => [index === 0 ? 'SUGGESTED' : '', words]),
        ]),
      ],
    },
    { blocks: [list(warned, { first: [painted('warning', 'yellow'), ' '] })] },
  ];
}

const stepColumns = heads('>connections', '>autocannon', '>chat-load', '>reply time', '>CPU of each', 'failed');

function headText({ end, turnsSent, elapsedMs }: ProbeDocument): string {
  const how = end === 'signal' ? 'stopped' : 'completed';
  return `probe: ${how} after ${formatElapsed(elapsedMs)}, ${countOf(turnsSent, 'turn')} sent to the target`;
}

const targetText = ({ target: { embedded, baseUrl, agentId } }: ProbeDocument): string =>
  `${embedded ? 'embedded reference service' : oneLine(baseUrl, Infinity)}${agentText(oneLine(agentId, Infinity))}`;

const loadText = ({ scenario }: ProbeDocument): string =>
  `${scenario === null ? 'built-in short messages' : `messages of ${oneLine(scenario, Infinity)}`}, without think times or retries`;

const legend =
  'autocannon, chat-load: ok turns per second that each of them reached, one after the other, at closed load with one session per connection. reply time: connections / the higher rate. CPU of each: share of a core that this process used with autocannon / with chat-load. failed: share of failed turns, and their most frequent class.';

function stepCells(step: ProbeStep): string[] {
  const { connections, autocannon, chatLoad } = step;
  const rate = rateOf(step);
  return [
    formatCount(connections),
    ...[autocannon, chatLoad].map((figures) => (figures === null ? '-' : formatPerSecond(figures.turnsPerSecond))),
    rate === 0 ? '-' : formatMs((connections * 1000) / rate),
    `${cpuText(autocannon)} / ${cpuText(chatLoad)}`,
    notOkText(step),
  ];
}

const cpuText = (figures: LoadFigures | null): string =>
  figures === null ? '-' : `${String(Math.round(figures.cpuShare * 100))} %`;

/** Formats the failures of the load that has more of them: their share and the most frequent class. */
function notOkText({ autocannon, chatLoad }: ProbeStep): string {
  const worst = [autocannon, chatLoad].reduce<LoadFigures | null>(
    (a, b) => (b !== null && (a === null || failedShare(b) > failedShare(a)) ? b : a),
    null,
  );
  if (worst === null || failedShare(worst) === 0) return '-';
  const wrong = Object.entries(worst.classes).filter(([name]) => name !== 'ok');
  const [max] = wrong.sort(([, a], [, b]) => b - a).map(([name]) => name);
  return `${formatShare(failedShare(worst))} ${String(max)}${wrong.length > 1 ? ', ...' : ''}`;
}

/** Describes the rate that the target can answer; a minimum unless its limit was reached. */
function ceilingText({ ceiling }: ProbeDocument): string {
  if (ceiling === null) return 'unknown: no turn was ok';
  const rate = `${ceiling.reached ? '' : 'at least '}${turnsPerSecondText(ceiling.turnsPerSecond)}`;
  return `can answer ${rate}: ${reachText(ceiling)}`;
}

function reachText({ reason, connections, knee }: TargetCeiling): string {
  const at = countOf(connections, 'connection');
  switch (reason) {
    case 'no_growth':
      return `the rate hardly grows above ${countOf(knee.connections, 'connection')}`;
    case 'failures':
      return 'at higher load more than 10 % of turns fail';
    case 'generator_busy':
      return 'this process had no CPU time left to send more';
    case 'most_connections':
      return `still growing at ${at}, the maximum tested (--max-connections)`;
    case 'turns_spent':
      return `at ${at}, when the limit on turns was reached (--max-turns)`;
    case 'sessions_refused':
      return `at ${at}; no more sessions could be created`;
    case 'signal':
      return `at ${at}, when the probe was stopped`;
  }
}

/** Describes the rate that this generator can send, and its measurement. */
function generatorText({ generator }: ProbeDocument): string {
  if (generator === null) return 'unknown: the probe was stopped before measuring it';
  const { turnsPerSecond, cpuUsPerTurn, connections } = generator;
  return `can send ${turnsPerSecondText(turnsPerSecond)} with one core: ${formatMs(cpuUsPerTurn / 1000)} of CPU time per turn, over ${countOf(connections, 'connection')} to a local responder that answers at once`;
}

function limitText(probe: ProbeDocument, bold: (text: string) => string): string {
  const { limit, ceiling, generator, demand, scenario } = probe;
  if (limit === null || ceiling === null || generator === null) return 'unknown: one of the two was not measured';
  const demanded =
    demand === null
      ? ''
      : demand.turnsPerSecond === null
        ? `${String(scenario)} has no think time and needs the highest possible rate. `
        : `${String(scenario)} needs up to ${turnsPerSecondText(demand.turnsPerSecond)} if replies take as long as with one connection (${formatMs(probe.singleConnectionReplyMs)}). `;
  return demanded + sideText({ limit, target: ceiling, generator: generator.turnsPerSecond, demand }, bold);
}

interface ComparedLimits {
  limit: NonNullable<ProbeDocument['limit']>;
  target: TargetCeiling;
  generator: number;
  demand: ProbeDocument['demand'];
}

function sideText({ limit, target, generator, demand }: ComparedLimits, bold: (text: string) => string): string {
  const { turnsPerSecond: answers, reason } = target;
  switch (limit) {
    case 'target':
      return `${bold('The target is the limit')}, at ${turnsPerSecondText(answers)}; this generator can send ${formatNumber(generator / answers)} times as much.`;
    case 'generator':
      return `${bold('This generator is the limit')}, at about ${turnsPerSecondText(generator)} with one core; the target can answer at least that rate.`;
    case 'neither':
      return `${bold('Neither is the limit')}: the load is ${shareOf(demand, answers)} of the rate that the target answered and ${shareOf(demand, generator)} of the rate that this generator can send.`;
    case 'unknown':
      return `${bold('Unknown')}: the target answered everything sent, and this generator can send up to ${turnsPerSecondText(generator)}.${remedies[reason]}`;
  }
}

const remedies: Readonly<Record<TargetCeiling['reason'], string>> = {
  most_connections: ' The reply time limits the rate at this number of connections: raise --max-connections.',
  turns_spent: ' To continue, raise --max-turns.',
  sessions_refused: ' To continue, the target must accept more sessions.',
  signal: ' To find the limit, let the probe finish.',
  no_growth: '',
  failures: '',
  generator_busy: '',
};

const shareOf = (demand: ProbeDocument['demand'], of: number): string =>
  formatShare(demand?.turnsPerSecond == null ? null : demand.turnsPerSecond / of);

/** Suggests settings, one text for closed and one for open load. */
function suggestionTexts({ suggestion, ceiling, demand }: ProbeDocument): string[] {
  if (suggestion === null || ceiling === null) return ['nothing: too little data'];
  const { concurrency, turnsInFlight, sessionsPerSecond, turnsPerSecond } = suggestion;
  const flight = `${countOf(turnsInFlight, 'turn')} in flight`;
  const keeps =
    demand === null ? `without think times: ${flight}` : `for ${flight} by Little's law, think times included`;
  const effect = ceiling.reached
    ? `at least 90 % of the target's limit, replies of about ${formatMs(ceiling.knee.replyMs)}; more turns only queue`
    : `replies of about ${formatMs(ceiling.knee.replyMs)}; the target may sustain more`;
  return [
    `concurrency: ${String(concurrency)}, ${keeps}; ${effect}`,
    `or sessionsPerSecond: ${rounded(sessionsPerSecond)}, with ${formatNumber(turnsPerSecond / sessionsPerSecond)} turns per session on average, that is ${turnsPerSecondText(turnsPerSecond)}, 75 % of the rate that ${ceiling.reached ? 'the slower of target and generator can sustain' : 'the slower of target and generator reached'}`,
  ];
}

const turnsPerSecondText = (rate: number): string => formatRate(rate, 'turn');

/** Formats a number as in a scenario, without separators. */
const rounded = (value: number): string => String(Number(value.toPrecision(2)));
