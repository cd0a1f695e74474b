import { useRef, useState } from 'preact/hooks';
import type { SpansBlock } from '../../report/page/page.ts';
import { Empty, Frame } from './frame.tsx';
import { Key } from './legend.tsx';
import { movePointed } from './reading.ts';
import { toneStyle } from './shapes.ts';
import type { Sheet } from './save.ts';
import { drawSpans, spanAt, type DrawnSpans, type PointedSpan } from './spans-drawing.ts';
import { spotOf, useWidth } from './use-element.ts';
import { valueText } from './values.ts';

/** Chart of spans in rows. Arrow keys and the pointer read a span. */
export function SpansView({ block }: { block: SpansBlock }) {
  const { title, rows, legend } = block;
  const element = useRef<HTMLDivElement>(null);
  const width = useWidth(element);
  const [pointed, point] = useState<PointedSpan | null>(null);
  const drawn = drawSpans(rows, width);
  const shown = rows.map(({ spans }) => spans.map(({ fromMs, toMs }) => ({ x: (fromMs + toMs) / 2 })));
  const onKeyDown = (event: KeyboardEvent): void => {
    const moved = movePointed(event, pointed, shown);
    if (moved === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    point(moved);
  };
  const onPointer = (event: PointerEvent): void => point(spanAt(drawn, spotOf(event, element.current)));
  if (rows.length === 0)
    return (
      <Frame block={block} element={element} sheet={() => sheetOf(block)}>
        <Empty />
      </Frame>
    );
  return (
    <Frame block={block} element={element} sheet={() => sheetOf(block)}>
      <div
        class="plot wide"
        ref={element}
        tabIndex={0}
        role="application"
        aria-label={`${title}: arrow keys read spans, up and down change the row`}
        onKeyDown={onKeyDown}
        onPointerDown={onPointer}
        onPointerMove={onPointer}
        onPointerLeave={(event) => {
          if (event.pointerType !== 'touch') point(null);
        }}
      >
        {width === 0 ? null : <SpansPicture drawn={drawn} width={width} pointed={pointed} />}
      </div>
      <p class="at" aria-live="polite">
        {readingOf(block, pointed)}
      </p>
      <Key entries={legend} />
    </Frame>
  );
}

/** Describes a span: its row, its text, and its times. */
function readingOf({ rows }: SpansBlock, pointed: PointedSpan | null): string {
  const row = pointed === null ? undefined : rows[pointed.series];
  const span = row?.spans[pointed?.point ?? 0];
  if (row === undefined || span === undefined) return '';
  const { fromMs, toMs, text } = span;
  const times = `${valueText(toMs - fromMs, 'ms')}, from ${valueText(fromMs, 'ms')} to ${valueText(toMs, 'ms')}`;
  return `${row.label}: ${text}; ${times}`;
}

function SpansPicture({
  drawn: { area, height, ticks, rows },
  width,
  pointed,
}: {
  drawn: DrawnSpans;
  width: number;
  pointed: PointedSpan | null;
}) {
  return (
    <svg viewBox={`0 0 ${String(width)} ${String(height)}`} width={width} height={height} aria-hidden="true">
      {ticks.map(({ at, label }) => (
        <g key={label}>
          <line class="gridline" x1={at} x2={at} y1={area.top} y2={area.bottom} />
          <text x={at} y={area.bottom + 18} text-anchor="middle">
            {label}
          </text>
        </g>
      ))}
      <line class="axis" x1={area.left} x2={area.right} y1={area.bottom} y2={area.bottom} />
      {rows.map(({ texts, top, height: barPx, spans }, series) => (
        <g key={series}>
          {texts.map(({ kind, text, x, y, anchor }) => (
            <text key={kind} class={kind === 'head' ? 'label head' : kind} x={x} y={y} text-anchor={anchor}>
              {text}
            </text>
          ))}
          {spans.map(({ fromPx, toPx, tone, label }, at) => (
            <g key={at} class="tone" style={toneStyle(tone)}>
              <rect
                class={pointed?.series === series && pointed.point === at ? 'span pointed' : 'span'}
                x={fromPx}
                width={toPx - fromPx}
                y={top}
                height={barPx}
              />
              {label === '' ? null : (
                <text class="within" x={(fromPx + toPx) / 2} y={top + barPx / 2 + 4} text-anchor="middle">
                  {label}
                </text>
              )}
            </g>
          ))}
        </g>
      ))}
    </svg>
  );
}

function sheetOf({ rows }: SpansBlock): Sheet {
  return {
    columns: ['row', 'span', 'from (ms)', 'to (ms)'],
    rows: rows.flatMap(({ label, spans }) => spans.map(({ fromMs, toMs, text }) => [label, text, fromMs, toMs])),
  };
}
