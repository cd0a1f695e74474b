import { printableTexts } from '../../base/printable.ts';
import type { ProbeDocument } from '../../probe/build-probe.ts';
import { failedShare, type TargetCeiling } from '../../probe/probe-ceiling.ts';
import { rateOf, type LoadFigures, type ProbeStep } from '../../probe/probe.ts';
import { asIs, flush, headless, heads, painted, text, type Section } from '../outline/outline.ts';
import type { Report } from '../outline/report.ts';
import { coresText } from '../plan/plan-words.ts';
import { agentText } from '../words/target-text.ts';
import {
  countOf,
  formatCount,
  formatElapsed,
  formatMs,
  formatNumber,
  formatPerSecond,
  formatRate,
  formatShare,
} from '../../base/format.ts';
import { oneLine } from '../words/width.ts';

/** What a probe found. */
export const probeReport: Report<ProbeDocument> = { outline: probeOutline };

function probeOutline(document: ProbeDocument): Section[] {
  const probe = printableTexts(document);
  const { steps, warnings } = probe;
  return [
    { blocks: [text(headText(probe), 'bold')] },
    { blocks: [asIs(`target    ${targetText(probe)}`), asIs(`load      ${loadText(probe)}`)] },
    {
      blocks: [
        {
          type: 'table',
          title: '',
          columns: heads('>connections', '>autocannon', '>chat-load', '>reply time', '>CPU a/c', 'not ok'),
          rows: steps.map((step) => ({ cells: stepCells(step) })),
        },
      ],
    },
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
    {
      blocks: [
        {
          type: 'list',
          texts: warnings.map(({ message, remedy }) => `${message}${remedy === null ? '' : ` ${remedy}`}`),
          first: [painted('warning', 'yellow'), ' '],
        },
      ],
    },
  ];
}

function headText({ end, turnsSent, elapsedMs }: ProbeDocument): string {
  const how = end === 'signal' ? 'stopped' : 'completed';
  return `probe: ${how} after ${formatElapsed(elapsedMs)}, ${countOf(turnsSent, 'turn')} sent to the target`;
}

const targetText = ({ target: { embedded, baseUrl, agentId } }: ProbeDocument): string =>
  `${embedded ? 'embedded reference service' : oneLine(baseUrl, Infinity)}${agentText(oneLine(agentId, Infinity))}`;

const loadText = ({ scenario }: ProbeDocument): string =>
  `${scenario === null ? 'built-in short messages' : `what ${oneLine(scenario, Infinity)} says`}, without think times or retries`;

const legend =
  'Ok turns per second, closed load with one session per connection: first by autocannon (counted by chat-load), then by chat-load itself. Reply time is connections / the better rate. CPU is the share of a core that this process used with a(utocannon) and c(hat-load).';

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

/** Of the load with more failures: their share, and the most frequent class. */
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

/** What the target can answer; never called a ceiling where its end was not seen. */
function ceilingText({ ceiling }: ProbeDocument): string {
  if (ceiling === null) return 'unknown: no turn was ok';
  const rate = `${ceiling.reached ? '' : 'at least '}${turnsPerSecondText(ceiling.turnsPerSecond)}`;
  return `can answer ${rate}: ${reachText(ceiling)}`;
}

function reachText({ reason, connections, knee }: TargetCeiling): string {
  const at = countOf(connections, 'connection');
  switch (reason) {
    case 'no_growth':
      return `more connections than ${String(knee.connections)} bring little or nothing`;
    case 'failures':
      return `beyond that more than one turn in ten fails`;
    case 'generator_busy':
      return 'this process had no processor time left to send more';
    case 'most_connections':
      return `still growing at ${at}, the most that were tried (--max-connections)`;
    case 'turns_spent':
      return `at ${at}, where the limit on turns was reached (--max-turns)`;
    case 'sessions_refused':
      return `at ${at}; sessions for more could not be created`;
    case 'signal':
      return `at ${at}, when the probe was stopped`;
  }
}

/** What this generator can send, and how that was measured. */
function generatorText({ generator }: ProbeDocument): string {
  if (generator === null) return 'unknown: the probe was stopped before it was measured';
  const { turnsPerSecond, cpuUsPerTurn, connections } = generator;
  return `can send ${turnsPerSecondText(turnsPerSecond)} with one core: ${formatMs(cpuUsPerTurn / 1000)} of processor time per turn, over ${countOf(connections, 'connection')} to a responder on this machine that answers at once`;
}

/** Which of the two is the limit. */
function limitText(probe: ProbeDocument, bold: (text: string) => string): string {
  const { limit, ceiling, generator, demand, scenario } = probe;
  if (limit === null || ceiling === null || generator === null) return 'unknown: one of the two was not measured';
  const asked =
    demand === null
      ? ''
      : demand.turnsPerSecond === null
        ? `${String(scenario)} asks for all that there is. `
        : `${String(scenario)} asks for up to ${turnsPerSecondText(demand.turnsPerSecond)} if replies take as long as at one connection (${formatMs(probe.singleConnectionReplyMs)}). `;
  return asked + sideText({ limit, target: ceiling, generator: generator.turnsPerSecond, demand }, bold);
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
      return `${bold('The target limits')}, at ${turnsPerSecondText(answers)}; this generator can send ${formatNumber(generator / answers)} times that.`;
    case 'generator':
      return `${bold('This generator limits')}, at about ${turnsPerSecondText(generator)} with one core; the target can answer as much or more.`;
    case 'neither':
      return `${bold('Neither limits')}: that is ${shareOf(demand, answers)} of what the target was seen to answer and ${shareOf(demand, generator)} of what this generator can send.`;
    case 'unknown':
      return `${bold('Not known')}: the target kept up with everything sent, and this generator can send up to ${turnsPerSecondText(generator)}.${remedies[reason]}`;
  }
}

/** How the target's limit would be found. */
const remedies: Readonly<Record<TargetCeiling['reason'], string>> = {
  most_connections: ' The reply time limits what this number of connections can do: raise --max-connections.',
  turns_spent: ' Raise --max-turns to go on.',
  sessions_refused: ' More sessions are needed to go on.',
  signal: ' Let the probe finish to find the limit.',
  no_growth: '',
  failures: '',
  generator_busy: '',
};

const shareOf = (demand: ProbeDocument['demand'], of: number): string =>
  formatShare(demand?.turnsPerSecond == null ? null : demand.turnsPerSecond / of);

/** What to run with, one text for closed and one for open load. */
function suggestionTexts({ suggestion, ceiling, demand }: ProbeDocument): string[] {
  if (suggestion === null || ceiling === null) return ['nothing: too little was measured'];
  const { concurrency, turnsInFlight, sessionsPerSecond, turnsPerSecond } = suggestion;
  const flight = `${countOf(turnsInFlight, 'turn')} under way`;
  const keeps =
    demand === null ? `without think times: ${flight}` : `for ${flight} by Little's law, think times included`;
  const effect = ceiling.reached
    ? `nine tenths of the ceiling or more, replies of about ${formatMs(ceiling.knee.replyMs)}; more only queue`
    : `replies of about ${formatMs(ceiling.knee.replyMs)}; the target may take more`;
  return [
    `concurrency: ${String(concurrency)}, ${keeps}; ${effect}`,
    `or sessionsPerSecond: ${rounded(sessionsPerSecond)}, that is ${turnsPerSecondText(turnsPerSecond)}, three quarters of what the weaker side ${ceiling.reached ? 'can do' : 'was seen to do'}`,
  ];
}

const turnsPerSecondText = (rate: number): string => formatRate(rate, 'turn');

/** As a scenario would have it: without separators. */
const rounded = (value: number): string => String(Number(value.toPrecision(2)));
