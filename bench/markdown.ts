import { cpus, totalmem, type } from 'node:os';
import { holds, type Finding } from './finding.ts';
import type { Chapter } from './chapter.ts';
import { isPinning } from './pinned.ts';
import type { SpeedRow } from './speed.ts';
import type { TruthRow } from './truth/row.ts';

/** Returns the report with new chapters replacing those with the same titles; the others stay. */
export function updateReport(before: string, chapters: readonly Chapter[], command: string): string {
  const texts = new Map(
    before
      .split(/^## /m)
      .slice(1)
      .map((chapter) => [titleOf(chapter), chapter.trimEnd()]),
  );
  for (const { title, text } of chapters) texts.set(title, `${title}\n\n${surroundings(command)}\n\n${text}`);
  return `# Results of the bench\n\n${[...texts.values()].map((text) => `## ${text}\n`).join('\n')}`;
}

const titleOf = (chapter: string): string => chapter.slice(0, chapter.indexOf('\n'));

/** Describes how to repeat the measurement, and the machine. */
function surroundings(command: string): string {
  const [cpu] = cpus();
  const machine = `${String(cpus().length)} cores (${cpu?.model.trim() ?? 'unknown'}), ${gigabytes(totalmem())}, ${type()}`;
  const cores = isPinning ? 'target and generator each on their own core' : 'processes not pinned to cores';
  return `\`${command}\` on ${new Date().toISOString().slice(0, 10)}: Node.js ${process.versions.node}, ${machine}; ${cores}.`;
}

export function speedTable(rows: readonly SpeedRow[]): string {
  const lines = rows.map(({ generator, measures, ratios, failure }, index) => {
    const name = `${generator.name} ${generator.version ?? ''}`.trim();
    if (measures.length === 0) return [name, generator.does, failure ?? 'not measured', '', '', '', '', '', ''];
    const figures = [
      spread(
        measures.map(({ turnsPerSecond }) => turnsPerSecond / 1000),
        1,
        ' k',
      ),
      spread(
        measures.map(({ cpuUsPerTurn }) => cpuUsPerTurn),
        1,
        ' µs',
      ),
      spread(
        measures.map(({ wholeCpuUsPerTurn }) => wholeCpuUsPerTurn),
        1,
        ' µs',
      ),
      `${(median(measures.map(({ peakBytes }) => peakBytes)) / 1e6).toFixed(0)} MB`,
    ];
    const ratio = (key: 'turnsPerSecond' | 'cpuUsPerTurn' | 'peakBytes'): string =>
      index === 0 ? '1' : median(ratios.map((each) => each[key])).toFixed(2);
    return [name, generator.does, ...figures, ratio('turnsPerSecond'), ratio('cpuUsPerTurn'), ratio('peakBytes')];
  });
  const head = [
    'generator',
    'work per turn',
    'turns/s',
    'CPU per turn',
    'with start and end',
    'memory',
    'turns/s ÷ ours',
    'CPU ÷ ours',
    'memory ÷ ours',
  ];
  return tableOf(head, lines);
}

export function findingsTable(findings: readonly Finding[]): string {
  return tableOf(
    ['', 'measured', 'allowed', ''],
    findings.map((finding) => [finding.what, shown(finding, finding.value), limitOf(finding), verdictOf(finding)]),
  );
}

export function truthTable(rows: readonly TruthRow[]): string {
  return tableOf(
    ['experiment', 'figure', 'known', 'measured', 'allowed', ''],
    rows.map(({ experiment, figure, unit, known, measured, allowed, verdict }) => {
      const show = (value: number): string => `${value.toFixed(value < 100 ? 2 : 1)} ${unit}`;
      return [experiment, figure, show(known), show(measured), `± ${show(allowed)}`, verdict];
    }),
  );
}

function limitOf(finding: Finding): string {
  if (finding.atLeast !== undefined) return `≥ ${shown(finding, finding.atLeast)}`;
  return finding.atMost === undefined ? '' : `≤ ${shown(finding, finding.atMost)}`;
}

function verdictOf(finding: Finding): string {
  if (finding.atLeast === undefined && finding.atMost === undefined) return '';
  return holds(finding) ? 'holds' : 'broken';
}

const shown = ({ unit }: Finding, value: number): string => {
  const digits = Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(value < 10 ? 2 : 0);
  return unit === undefined ? digits : `${digits} ${unit}`;
};

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}

/** Formats the median, minimum and maximum. */
function spread(values: readonly number[], digits: number, unit: string): string {
  const show = (value: number): string => value.toFixed(digits);
  return `${show(median(values))}${unit} (${show(Math.min(...values))}–${show(Math.max(...values))})`;
}

const gigabytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(0)} GiB`;

export function tableOf(head: readonly string[], lines: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
