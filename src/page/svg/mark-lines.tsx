import type { Area } from '../chart/area.ts';
import type { PlacedLabel } from './fitting.ts';

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
