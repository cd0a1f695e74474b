import type { Capacity } from '../../../capacity/document/capacity.ts';
import { loadUnitTexts } from '../../../capacity/words/load-text.ts';
import { latencyLimitText, shownLatency } from '../../capacity/capacity-facts.ts';
import { curveRows, type CurveRow } from '../../capacity/curve-rows.ts';
import { formatMs, formatNumber } from '../../words/format.ts';
import { finite } from '../drawn-numbers.ts';
import type { LinesBlock, Section, TableRow } from '../page.ts';
import { tableBlock } from '../table-block.ts';

type Series = LinesBlock['series'][number];

/** Throughput and latency over load, with the ends and the knee. */
export function curveSection(capacity: Capacity): Section {
  const rows = curveRows(capacity);
  return {
    id: 'curve',
    title: 'The curve',
    lead: 'Below the knee more load brings more throughput; beyond it turns mostly wait.',
    blocks: rows.length === 0 ? [] : [chart(capacity, rows), ...table(capacity, rows)],
  };
}

function chart(capacity: Capacity, rows: readonly CurveRow[]): LinesBlock {
  const { by, holds, broken, knee } = capacity;
  const marks = [
    ...(knee === null ? [] : [{ x: knee.load, label: `knee ${formatNumber(knee.load)}` }]),
    ...(holds === null ? [] : [{ x: holds.load, label: `holds ${formatNumber(holds.load)}` }]),
    ...(broken === null ? [] : [{ x: broken.load, label: `broken ${formatNumber(broken.load)}` }]),
  ];
  return {
    type: 'lines',
    id: 'curve',
    title: 'Throughput and latency over load',
    description:
      'The mean over the steps of a load. Throughput is on the left axis, latency on the right one; the load is on a logarithmic axis.',
    x: { title: loadUnitTexts[by], form: 'log', labels: [] },
    unit: 'perSecond',
    rightUnit: 'ms',
    form: 'line',
    series: [
      { label: 'turns/s (left)', tone: 'first', points: pointsOf(rows, ({ turnsPerSecond }) => turnsPerSecond) },
      {
        label: `${shownLatency(capacity).metric} (right)`,
        tone: 'second',
        axis: 'right',
        points: pointsOf(rows, ({ latencyMs }) => latencyMs),
      },
      ...limitSeries(capacity, rows),
    ],
    marks: marks.filter(({ x }) => finite(x) !== null),
  };
}

function pointsOf(rows: readonly CurveRow[], figure: (row: CurveRow) => number | null): Series['points'] {
  return rows.flatMap((row) => {
    const [x, y] = [finite(row.load), finite(figure(row))];
    return x === null || y === null ? [] : [{ x, y, low: null, high: null }];
  });
}

/** The limit as a line from end to end. */
function limitSeries(capacity: Capacity, rows: readonly CurveRow[]): Series[] {
  const { metric, limitMs } = shownLatency(capacity);
  const [first, last] = [rows[0], rows.at(-1)];
  if (limitMs === null || first === undefined || last === undefined) return [];
  const points = [...new Set([first.load, last.load])].map((x) => ({ x, y: limitMs, low: null, high: null }));
  return [
    { label: `limit of ${metric}, ${latencyLimitText(limitMs)} (right)`, tone: 'neutral', axis: 'right', points },
  ];
}

function table(capacity: Capacity, rows: readonly CurveRow[]) {
  return tableBlock({
    title: 'The curve, load by load',
    columns: [`>${loadUnitTexts[capacity.by]}`, '>turns/s', `>${shownLatency(capacity).metric}`, 'verdict', 'mark'],
    rows: rows.map((row) => ({
      cells: [
        formatNumber(row.load),
        row.turnsPerSecond === null ? '-' : formatNumber(row.turnsPerSecond),
        formatMs(row.latencyMs),
        verdictTexts[row.verdict] + (row.isSaturated ? ', saturated' : ''),
        row.marks.map((mark) => markTexts[mark]).join(', '),
      ],
      state: states[row.verdict],
    })),
  });
}

const verdictTexts = { holds: 'holds', broken: 'broken', mixed: 'steps disagree', undecided: 'undecided' } as const;
const markTexts = { knee: 'knee', holds: 'highest that holds', broken: 'lowest that breaks' } as const;
const states: Readonly<Record<CurveRow['verdict'], TableRow['state']>> = {
  holds: 'good',
  broken: 'bad',
  mixed: 'doubtful',
  undecided: 'doubtful',
};
