import { metricRules } from '../../src/compare/metrics/metric-rules.ts';
import { poolOf } from '../../test/support/model-figures.ts';
import { services } from '../../test/support/queue-model.ts';
import { tableOf } from '../markdown.ts';
import { centralTable, driftTable, type Row } from './central-table.ts';
import { nightTable } from './night-table.ts';
import { shown } from './share.ts';

interface ComparisonOptions {
  /** Number of comparisons per cell. */
  comparisons?: number;
  /** Number of runs in the pool. */
  runs?: number;
  report?: (text: string) => void;
}

const rules = ['turn.ok.p50', 'turn.ok.p90', 'turn.ok.p99', 'turn.ok.mean'].flatMap((name) =>
  metricRules.filter((rule) => rule.name === name),
);

/**
 * Measures error and detection rates of comparisons on runs of a modelled service, next to the figures of the simulation
 * with which the method was designed. Takes some minutes.
 */
export function measureComparison({
  comparisons = 2000,
  runs = 500,
  report = () => undefined,
}: ComparisonOptions = {}): Promise<{ text: string; broken: number }> {
  report(`${String(runs)} runs of the modelled service`);
  const pool = poolOf(services.B, { runs, seed: 1, rules });
  const measured = { pool, comparisons };
  const sections: Section[] = [];
  const add = (section: Section): void => {
    report(section.title);
    sections.push(section);
  };
  for (const rule of rules.filter(({ name }) => name === 'turn.ok.p99' || name === 'turn.ok.p50'))
    add({
      title: `${rule.name} alone: reported as different at p ≤ 5 %`,
      head: ['runs per side', 'equal', '+5 %', '+10 %', '+20 %'],
      rows: centralTable(rule, measured),
    });
  for (const rule of rules.filter(({ name }) => name === 'turn.ok.p99'))
    add({
      title: `${rule.name} with 2 % noise and 2 % drift between batches of runs`,
      head: ['runs per side', 'equal', '+10 %'],
      rows: driftTable(rule, measured),
    });
  add({
    title: 'One night: eight metrics as a family, and a confirming set of runs',
    head: [
      ...['runs per side', 'equal: by p alone', 'alarm', 'confirmed'],
      ...['all +10 %: alarm', 'confirmed', 'one p99 +20 %: alarm', 'confirmed'],
    ],
    rows: nightTable(rules, measured),
  });
  const shares = sections.flatMap(({ rows }) => rows.flatMap((row) => row.shares));
  const how = `Per cent of ${comparisons.toLocaleString('en')} comparisons, drawn from ${String(runs)} runs of a modelled service (300 s at 200 turns/s, 8 workers, drifting); in brackets the figures of the simulation with which the method was designed. Noise is the standard deviation between runs. \`broken\`: more than 5 % of false alarms, or a detection rate below that of the simulation, in each case by more than chance explains.`;
  return Promise.resolve({
    text: [how, ...sections.map(sectionText)].join('\n\n'),
    broken: shares.filter(({ isBroken }) => isBroken).length,
  });
}

interface Section {
  title: string;
  head: readonly string[];
  rows: readonly Row[];
}

const sectionText = ({ title, head, rows }: Section): string =>
  `### ${title}\n\n${tableOf(
    head,
    rows.map(({ name, shares }) => [name, ...shares.map(shown)]),
  )}`;
