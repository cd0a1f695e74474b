import type { Area } from './area.ts';
import type { Tick, PlacedLabel } from './fitting.ts';

interface AxesProps {
  area: Area;
  x: readonly Tick[];
  y: readonly Tick[];
  /** Of the axis on the right; none without one. Grid lines are those of the left one. */
  right?: readonly Tick[];
  /** What the axis across is of; empty: it needs no name. */
  title: string;
}

/** The lines of a chart and their labels; marks are drawn over them. */
export function Axes({ area, x, y, right: beside = [], title }: AxesProps) {
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
      {x.map(({ at, label }) => (
        <g key={label + String(at)}>
          <line class="gridline" x1={at} x2={at} y1={top} y2={bottom + 5} />
          <text x={at} y={bottom + 18} text-anchor="middle">
            {label}
          </text>
        </g>
      ))}
      {beside.map(({ at, label }) => (
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

/** Vertical lines with their names above the area. */
export function MarkLines({ marks, area: { top, bottom } }: { marks: readonly PlacedLabel[]; area: Area }) {
  const lanes = Math.max(0, ...marks.map(({ lane }) => lane + 1));
  const y = (lane: number): number => top - 4 - (lanes - 1 - lane) * 15;
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

/** The names of marks that are numbered in the chart. */
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
