import { useRef } from 'preact/hooks';
import type { RangesBlock } from '../../report/page/page.ts';
import { Empty, Frame } from './frame.tsx';
import { toneStyle, arrowPath, markerPath } from './shapes.ts';
import type { Sheet } from './save.ts';
import { drawRanges, lanePx, type DrawnRange, type DrawnRanges } from './ranges-drawing.ts';
import { useWidth } from './use-element.ts';

/** Forest plot: one row per value, with its interval and a note. */
export function RangesView({ block }: { block: RangesBlock }) {
  const { title, rows } = block;
  const element = useRef<HTMLDivElement>(null);
  const width = useWidth(element);
  const count = `${String(rows.length)} ${rows.length === 1 ? 'row' : 'rows'}`;
  return (
    <Frame block={block} element={element} sheet={() => sheetOf(block)}>
      {rows.length === 0 ? (
        <Empty />
      ) : (
        <div
          class={block.reference === null ? 'plot' : 'plot forest'}
          ref={element}
          role="img"
          aria-label={`${title}, ${count}: the table below has the values`}
        >
          {width === 0 ? null : <RangesPicture drawn={drawRanges(block, width)} width={width} />}
        </div>
      )}
    </Frame>
  );
}

function RangesPicture({ drawn, width }: { drawn: DrawnRanges; width: number }) {
  const { area, height, ticks, referencePx, rows } = drawn;
  const lanes = (x: number): string =>
    rows.map(({ y }) => `M${x.toFixed(1)},${String(y - lanePx / 2)}v${String(lanePx)}`).join('');
  return (
    <svg viewBox={`0 0 ${String(width)} ${String(height)}`} width={width} height={height} aria-hidden="true">
      {rows.map(({ margin }, index) =>
        margin === null ? null : (
          <rect
            key={index}
            class="shade"
            x={margin.fromPx}
            width={margin.toPx - margin.fromPx}
            y={margin.top}
            height={margin.height}
          />
        ),
      )}
      {ticks.map(({ at, label }) => (
        <g key={label}>
          <path class="gridline" d={lanes(at)} />
          <text x={at} y={area.bottom + 18} text-anchor="middle">
            {label}
          </text>
        </g>
      ))}
      <line class="axis" x1={area.left} x2={area.right} y1={area.bottom} y2={area.bottom} />
      {referencePx === null ? null : <path class="reference" d={lanes(referencePx)} />}
      {rows.map((row, index) => (
        <RangeRowView key={index} row={row} emptyPx={referencePx ?? (area.left + area.right) / 2} edges={area} />
      ))}
    </svg>
  );
}

function RangeRowView({
  row,
  emptyPx,
  edges,
}: {
  row: DrawnRange;
  emptyPx: number;
  edges: { left: number; right: number };
}) {
  const { y, tone, sign, bar, pointPx, texts, full } = row;
  return (
    <g>
      <title>{full}</title>
      {texts.map(({ kind, text, x, y: baseline, anchor }) => (
        <text key={kind} class={kind} x={x} y={baseline} text-anchor={anchor}>
          {text}
        </text>
      ))}
      {row.isMissing ? <line class="missing" x1={emptyPx - 6} x2={emptyPx + 6} y1={y} y2={y} /> : null}
      <g class="tone" style={toneStyle(tone)}>
        {bar === null ? null : <line class="bar" x1={bar.fromPx} x2={bar.toPx} y1={y} y2={y} />}
        {row.leavesLeft ? <path class="marker" d={arrowPath({ x: edges.left - 2, y }, 'left', 7)} /> : null}
        {row.leavesRight ? <path class="marker" d={arrowPath({ x: edges.right + 2, y }, 'right', 7)} /> : null}
        {pointPx === null ? null : <path class="marker" d={markerPath(sign, { x: pointPx, y }, 5)} />}
      </g>
    </g>
  );
}

function sheetOf({ unit, rows }: RangesBlock): Sheet {
  return {
    columns: ['row', `value (${unit})`, 'low', 'high', 'margin', 'note'],
    rows: rows.map(({ label, value, low, high, margin, note, remark = '' }) => [
      ...[label, value, low, high, margin],
      [note, remark].filter((text) => text !== '').join('; '),
    ]),
  };
}
