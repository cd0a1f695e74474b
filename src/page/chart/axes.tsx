import type { Area } from './area.ts';
import type { Tick, PlacedLabel } from './fitting.ts';
import { markerPath } from './shapes.ts';
import type { DrawnLimit } from './xy-drawing.ts';

interface AxesProps {
  area: Area;
  x: readonly Tick[];
  y: readonly Tick[];
  /** Ticks of the right axis; empty if there is none. Grid lines belong to the left axis. */
  right?: readonly Tick[];
  /** Name of the horizontal axis; may be empty. */
  title: string;
}

/** Axes and grid lines of a chart. Marks are drawn over them. */
export function Axes({ area, x, y, right: rightTicks = [], title }: AxesProps) {
  const { left, right, top, bottom } = area;
  return (
    <g class="axes">
      {y.map(({ at, label }) => (
        <g key={label + String(at)}>
          <line class="gridline" x1={left} x2={right} y1={at} y2={at} />
          <text x={left - 8} y={at} text-anchor="end" dominant-baseline="middle">
            {label}
          </text>
        </g>
      ))}
      {x.map(({ at, label, labelAt = at }) => (
        <g key={label + String(at)}>
          <line class="gridline" x1={at} x2={at} y1={top} y2={bottom + 5} />
          <text x={labelAt} y={bottom + 18} text-anchor="middle">
            {label}
          </text>
        </g>
      ))}
      {rightTicks.map(({ at, label }) => (
        <text key={label + String(at)} x={right + 8} y={at} text-anchor="start" dominant-baseline="middle">
          {label}
        </text>
      ))}
      <line class="axis" x1={left} x2={right} y1={bottom} y2={bottom} />
      <text x={(left + right) / 2} y={bottom + 36} text-anchor="middle">
        {title}
      </text>
    </g>
  );
}

/** Vertical lines with labels above the area. */
export function MarkLines({ marks, area: { top, bottom } }: { marks: readonly PlacedLabel[]; area: Area }) {
  const lanes = Math.max(0, ...marks.map(({ lane }) => lane + 1));
  const y = (lane: number): number => top - 8 - (lanes - 1 - lane) * 15;
  return (
    <g class="marks">
      {marks.map(({ at, label, lane, anchor }, index) => (
        <g key={index}>
          <line class="mark" x1={at} x2={at} y1={y(lane) - 10} y2={bottom} />
          <text x={anchor === 'start' ? at + 4 : at - 4} y={y(lane)} text-anchor={anchor}>
            {label}
          </text>
        </g>
      ))}
    </g>
  );
}

/** Limits as dashed lines with their labels inside the area. */
export function LimitLines({ limits, area: { left } }: { limits: readonly DrawnLimit[]; area: Area }) {
  return (
    <g class="limits">
      {limits.map(({ label, linePx, labelPx, untilPx }) => (
        <g key={label}>
          {linePx === null ? null : (
            <>
              <line x1={left} x2={untilPx} y1={linePx} y2={linePx} />
              <path d={markerPath(3, { x: untilPx, y: linePx }, 4)} />
            </>
          )}
          <text x={left + 8} y={labelPx}>
            {label}
          </text>
        </g>
      ))}
    </g>
  );
}

/** List of the marks that are numbered in the chart. */
export function MarkList({ marks }: { marks: readonly string[] }) {
  if (marks.length === 0) return null;
  return (
    <ol class="mark-list">
      {marks.map((mark, index) => (
        <li key={index}>{mark}</li>
      ))}
    </ol>
  );
}
