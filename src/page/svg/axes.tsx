import type { Area } from '../chart/area.ts';
import type { Tick } from './fitting.ts';

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
