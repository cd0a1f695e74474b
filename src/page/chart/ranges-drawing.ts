import type { RangeRow, RangesBlock, Tone } from '../../report/page/page.ts';
import { tickText, tickTexts, valueText } from './values.ts';
import { type Area, type Span, logarithmic, placeOn, straight, type Projection } from './area.ts';
import { linearTicks, logTicks } from './scales.ts';
import { dropTouching, fitText, widthOf, type Tick } from './fitting.ts';
import { rangesDomain, type Ranges } from './domain.ts';

export interface DrawnRanges {
  area: Area;
  height: number;
  ticks: readonly Tick[];
  /** Null without a reference on the axis. */
  referencePx: number | null;
  rows: readonly DrawnRange[];
}

export interface DrawnRange {
  texts: readonly { kind: 'label' | 'value' | 'note'; text: string; x: number; y: number; anchor: 'start' | 'end' }[];
  /** Whole row as text. */
  full: string;
  tone: Tone;
  /** Index of its marker, the same for a tone in every chart. */
  sign: number;
  y: number;
  bar: Span | null;
  /** Null without a value on the axis. */
  pointPx: number | null;
  leavesLeft: boolean;
  leavesRight: boolean;
  /** Smallest change that matters, around the reference. */
  margin: (Span & { top: number; height: number }) | null;
  isMissing: boolean;
}

export function drawRanges(block: Ranges & Pick<RangesBlock, 'unit'>, width: number): DrawnRanges {
  const { rows, unit, scale, reference } = block;
  const values = rows.map((row) => rangeText(row, unit));
  const wide = wideFrame(width, rows, values);
  const frame = wide.right - wide.left < minBarPx ? narrowFrame(width) : wide;
  const area: Area = { left: frame.left, right: frame.right, top: 6, bottom: 6 + rows.length * frame.rowPx };
  const domain = rangesDomain(block);
  const place = placeOn({ fromPx: area.left, toPx: area.right }, domain, scale === 'log' ? logarithmic : straight);
  const gap = 75 / (area.right - area.left);
  const at = scale === 'log' ? logTicks(domain, gap) : linearTicks(domain, 1 / gap);
  const labels = scale === 'log' ? at.map((value) => tickText(value, unit)) : tickTexts(at, unit);
  const isWithin = reference !== null && reference >= domain[0] && reference <= domain[1];
  return {
    area,
    height: area.bottom + 26,
    ticks: dropTouching(at.map((value, index) => ({ at: place(value), label: labels[index] ?? '' }))),
    referencePx: isWithin ? place(reference) : null,
    rows: rows.map((row, index) => ({
      ...drawRow(row, { reference, place, area, top: area.top + index * frame.rowPx, frame }),
      texts: frame.texts(row, area.top + index * frame.rowPx, values[index] ?? ''),
      full: [row.label, values[index], row.note].filter((text) => text !== '').join(': '),
      tone: row.tone,
      sign: Math.max(
        0,
        signs.findIndex((tones) => tones.includes(row.tone)),
      ),
    })),
  };
}

/** Tones by their marker; any other tone has the first one. */
const signs: readonly (readonly Tone[])[] = [
  ['neutral', 'base', 'first'],
  ['failed', 'head', 'second'],
  ['ok', 'third'],
  ['retry', 'fourth'],
  ['fifth'],
];

/** Height of a bar's row; on narrow pages its texts are above it. */
export const lanePx = 28;

/** Relative width of notes, which are bold. */
const bold = 1.12;

/** Minimum width of the bars; below it, texts move above the bars. */
const minBarPx = 200;

interface Frame {
  left: number;
  right: number;
  rowPx: number;
  /** Middle of the bar within its row. */
  barAt: number;
  texts: (row: RangeRow, top: number, value: string) => DrawnRange['texts'];
}

function narrowFrame(width: number): Frame {
  return {
    left: 24,
    right: width - 24,
    rowPx: 64,
    barAt: 48,
    texts: ({ label, note }, top, value) => {
      const noteText = fitText(note, Math.max(width * 0.45, width - widthOf(label) - 12) / bold);
      const labelText = fitText(label, width - widthOf(noteText) * bold - 12);
      return [
        { kind: 'label', text: labelText, x: 0, y: top + 12, anchor: 'start' },
        { kind: 'note', text: noteText, x: width, y: top + 12, anchor: 'end' },
        { kind: 'value', text: fitText(value, width), x: 0, y: top + 28, anchor: 'start' },
      ];
    },
  };
}

function wideFrame(width: number, rows: readonly RangeRow[], values: readonly string[]): Frame {
  const widest = (texts: readonly string[], share: number): number =>
    Math.min(width * share, Math.max(0, ...texts.map(widthOf)));
  const [labels, notes] = [rows.map(({ label }) => label), rows.map(({ note }) => note)];
  const labelPx = widest(labels, 0.3);
  const notePx = widest(notes, 0.2) * bold;
  const valuePx = widest(values, 1);
  const right = width - valuePx - notePx - (notePx > 0 ? 44 : 20);
  return {
    left: labelPx + 16,
    right,
    rowPx: lanePx,
    barAt: lanePx / 2,
    texts: ({ label, note }, top, value) => [
      { kind: 'label', text: fitText(label, labelPx), x: labelPx, y: top + 18, anchor: 'end' },
      { kind: 'value', text: fitText(value, valuePx), x: right + 20, y: top + 18, anchor: 'start' },
      { kind: 'note', text: fitText(note, notePx / bold), x: right + 20 + valuePx + 20, y: top + 18, anchor: 'start' },
    ],
  };
}

/** Formats a value, its interval and a remark: `52.0 ms (50.1 ms to 54.2 ms)`, `70 or more`; `-` without a value. */
function rangeText({ value, low, high, open, remark }: RangeRow, unit: RangesBlock['unit']): string {
  if (open !== undefined) return `${valueText(value, unit)} or ${open === 'high' ? 'more' : 'less'}`;
  const interval =
    value === null || low === null || high === null ? '' : ` (${valueText(low, unit)} to ${valueText(high, unit)})`;
  return `${valueText(value, unit)}${interval}${remark === undefined ? '' : `; ${remark}`}`;
}

interface RowPlace {
  reference: number | null;
  place: Projection;
  area: Area;
  top: number;
  frame: Frame;
}

function drawRow({ value, low, high, open, margin }: RangeRow, { reference, place, area, top, frame }: RowPlace) {
  const clamp = (px: number): number => Math.min(area.right, Math.max(area.left, px));
  const pointPx = value === null ? null : place(value);
  const ends = [low ?? value, high ?? value].flatMap((each) => (each === null ? [] : [place(each)]));
  const fromPx = open === 'low' ? -Infinity : Math.min(...ends);
  const toPx = open === 'high' ? Infinity : Math.max(...ends);
  const pointIsShown = pointPx !== null && clamp(pointPx) === pointPx;
  return {
    y: top + frame.barAt,
    isMissing: value === null,
    bar: value === null || (low === high && pointIsShown) ? null : within({ fromPx, toPx }, area),
    pointPx: pointIsShown ? pointPx : null,
    leavesLeft: value !== null && fromPx < area.left,
    leavesRight: value !== null && toPx > area.right,
    margin:
      margin === null || reference === null
        ? null
        : {
            fromPx: clamp(place(reference - margin)),
            toPx: clamp(place(reference + margin)),
            top: top + frame.barAt - lanePx / 2,
            height: lanePx,
          },
  };
}

/** Visible length of an arrow to a bar beyond the axis. */
const shaftPx = 24;

/** Clips a bar to an area; a bar wholly beyond it becomes the shaft of an arrow at the edge. */
function within({ fromPx, toPx }: Span, { left, right }: Area): Span {
  return {
    fromPx: fromPx >= right ? Math.max(left, right - shaftPx) : Math.max(left, fromPx),
    toPx: toPx <= left ? left + shaftPx : Math.min(right, toPx),
  };
}
