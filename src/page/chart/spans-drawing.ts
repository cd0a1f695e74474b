import type { SpanRow, Tone } from '../../report/page/page.ts';
import { placeOn, type Area } from './area.ts';
import { dropTouching, fitText, widthOf, type Tick } from './fitting.ts';
import { durationTicks } from './scales.ts';
import { tickText, valueText } from './values.ts';

export interface DrawnSpans {
  area: Area;
  height: number;
  ticks: readonly Tick[];
  rows: readonly DrawnSpanRow[];
}

interface DrawnSpanRow {
  texts: readonly { kind: 'label' | 'value' | 'head'; text: string; x: number; y: number; anchor: 'start' | 'end' }[];
  /** Upper end of the bars. */
  top: number;
  height: number;
  /** `label`: text within the bar; '' if it does not fit, or if the bar is the only one of its row. */
  spans: readonly { fromPx: number; toPx: number; tone: Tone; label: string }[];
}

/** Minimum width of a bar, so that the shortest span can be seen and pointed at. */
const minPx = 4;
/** Minimum width of the bars; below it, texts move above the bars. */
const minAxisPx = 260;
const indentPx = 12;
/** Distance between rows of level 0 that have subordinate rows. */
const groupGapPx = 10;

/** Draws rows of spans: with their texts on both sides or, on a narrow page, above them. */
export function drawSpans(rows: readonly SpanRow[], width: number): DrawnSpans {
  const wide = wideFrame(rows, width);
  const frame = wide.right - wide.left < minAxisPx ? narrowFrame(width) : wide;
  const tops = topsOf(rows, frame.rowPx);
  const area: Area = { left: frame.left, right: frame.right, top: 6, bottom: (tops.at(-1) ?? 6) + frame.rowPx };
  const endMs = Math.max(0, ...rows.flatMap(({ spans }) => spans.map(({ toMs }) => toMs)));
  const place = placeOn({ fromPx: area.left, toPx: area.right }, [0, endMs || 1]);
  const at = durationTicks([0, endMs || 1], Math.max(2, (area.right - area.left) / 80));
  return {
    area,
    height: area.bottom + 26,
    ticks: dropTouching(at.map((value) => ({ at: place(value), label: tickText(value, 'ms') }))),
    rows: rows.map((row, index) => {
      const top = tops[index] ?? area.top;
      return {
        texts: frame.texts(row, top),
        top: top + frame.barAt + (row.level === 0 ? 0 : 2),
        height: row.level === 0 ? 16 : 12,
        spans: row.spans.map(({ fromMs, toMs, tone, text }) => {
          const [fromPx, toPx] = [place(fromMs), Math.max(place(fromMs) + minPx, place(toMs))];
          const label = `${text} ${valueText(toMs - fromMs, 'ms')}`;
          const isLabelled = row.spans.length > 1 && widthOf(label) + 8 <= toPx - fromPx;
          return { fromPx, toPx, tone, label: isLabelled ? label : '' };
        }),
      };
    }),
  };
}

/** Returns the upper ends of rows; a gap separates groups. */
function topsOf(rows: readonly SpanRow[], rowPx: number): number[] {
  let gaps = 0;
  return rows.map(({ level }, index) => {
    if (level === 0 && (rows[index - 1]?.level ?? 0) > 0) gaps += 1;
    return 6 + index * rowPx + gaps * groupGapPx;
  });
}

interface Frame {
  left: number;
  right: number;
  rowPx: number;
  /** Upper end of the bar within its row. */
  barAt: number;
  texts: (row: SpanRow, top: number) => DrawnSpanRow['texts'];
}

const kindOf = ({ level }: SpanRow): 'head' | 'label' => (level === 0 ? 'head' : 'label');

function wideFrame(rows: readonly SpanRow[], width: number): Frame {
  const labelWidth = (row: SpanRow): number => widthOf(row.label) * bold + row.level * indentPx;
  const labelPx = Math.min(width * 0.3, Math.max(0, ...rows.map(labelWidth)));
  const notePx = Math.min(width * 0.3, Math.max(0, ...rows.map(({ note }) => widthOf(note))));
  const right = width - notePx - 16;
  return {
    left: labelPx + 16,
    right,
    rowPx: 22,
    barAt: 3,
    texts: (row, top) => {
      const x = row.level * indentPx;
      return [
        { kind: kindOf(row), text: fitText(row.label, (labelPx - x) / bold), x, y: top + 15, anchor: 'start' },
        { kind: 'value', text: fitText(row.note, notePx), x: right + 12, y: top + 15, anchor: 'start' },
      ];
    },
  };
}

/** Relative width of heads, which are bold. */
const bold = 1.12;

function narrowFrame(width: number): Frame {
  return {
    left: 18,
    right: width - 18,
    rowPx: 40,
    barAt: 18,
    texts: (row, top) => {
      const x = row.level * indentPx;
      const note = fitText(row.note, width * 0.6);
      const label = fitText(row.label, (width - x - widthOf(note) - 12) / bold);
      return [
        { kind: kindOf(row), text: label, x, y: top + 14, anchor: 'start' },
        { kind: 'value', text: note, x: width, y: top + 14, anchor: 'end' },
      ];
    },
  };
}

/** Indexes of a row and of one of its spans. */
export interface PointedSpan {
  series: number;
  point: number;
}

/** Returns the span at a position: of the nearest row with one, the span that contains it or the nearest. */
export function spanAt({ rows }: DrawnSpans, { x, y }: { x: number; y: number }): PointedSpan | null {
  const distances = rows.flatMap(({ top, height, spans }, series) =>
    spans.map(({ fromPx, toPx }, point) => ({
      series,
      point,
      away: Math.abs(y - (top + height / 2)) * 1000 + Math.max(fromPx - x, x - toPx, 0),
    })),
  );
  const nearest = distances.toSorted((one, other) => one.away - other.away)[0];
  return nearest === undefined ? null : { series: nearest.series, point: nearest.point };
}
