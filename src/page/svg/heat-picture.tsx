import { useMemo } from 'preact/hooks';
import { countText } from '../chart/values.ts';
import { Axes } from './axes.tsx';
import type { DrawnHeat } from './heat-drawing.ts';
import { MarkLines } from './mark-lines.tsx';

interface HeatPictureProps {
  drawn: DrawnHeat;
  width: number;
  /** What is being selected. */
  drag: { fromPx: number; toPx: number } | null;
  /** The interval that is read. */
  cursor: { fromMs: number; toMs: number } | null;
}

/** The cells, and above them what moves: thousands of cells are not drawn again for each step of the cursor. */
export function HeatPicture({ drawn, width, drag, cursor }: HeatPictureProps) {
  const still = useMemo(() => <HeatCells drawn={drawn} width={width} />, [drawn, width]);
  const { area, place } = drawn;
  return (
    <>
      {still}
      <svg class="above" viewBox={viewBoxOf(drawn, width)} width={width} height={drawn.height} aria-hidden="true">
        {cursor === null ? null : (
          <Column kind="cursor" area={area} fromPx={place(cursor.fromMs)} toPx={place(cursor.toMs)} />
        )}
        {drag === null ? null : <Column kind="selection" area={area} {...drag} />}
      </svg>
    </>
  );
}

const viewBoxOf = ({ height }: DrawnHeat, width: number): string => `0 0 ${String(width)} ${String(height)}`;

function HeatCells({ drawn, width }: { drawn: DrawnHeat; width: number }) {
  const { area, height, levels, legend, marks, bands } = drawn;
  return (
    <svg viewBox={viewBoxOf(drawn, width)} width={width} height={height} aria-hidden="true">
      {bands.map(({ fromPx, toPx }, index) => (
        <Column key={index} kind="shade" area={area} fromPx={fromPx} toPx={toPx} />
      ))}
      <Axes area={area} x={drawn.x} y={drawn.y} title="" />
      <g class="cells">
        {levels.map(({ cells, ramp }) => (
          <path key={ramp} class={`ramp-${String(ramp)}`} d={cells} />
        ))}
        {levels.map(({ ramp, fromPx, toPx }) => (
          <rect
            key={ramp}
            class={`ramp-${String(ramp)}`}
            x={fromPx}
            width={toPx - fromPx}
            y={area.bottom + 30}
            height={10}
          />
        ))}
      </g>
      <MarkLines marks={marks} area={area} />
      {legend.map(({ at, label }) => (
        <text key={label} x={at} y={area.bottom + 54} text-anchor="middle">
          {label}
        </text>
      ))}
      <text x={area.left - 8} y={area.bottom + 40} text-anchor="end">
        count
      </text>
      <text x={(levels.at(-1)?.toPx ?? area.left) + 8} y={area.bottom + 40}>
        to {countText(drawn.most)}
      </text>
    </svg>
  );
}

interface ColumnProps {
  kind: 'cursor' | 'selection' | 'shade';
  area: DrawnHeat['area'];
  fromPx: number;
  toPx: number;
}

/** A stretch of time over the whole height, as far as it is within the area. */
function Column({ kind, area: { left, right, top, bottom }, fromPx, toPx }: ColumnProps) {
  const [from, to] = [Math.max(left, Math.min(fromPx, toPx)), Math.min(right, Math.max(fromPx, toPx))];
  return to < from ? null : <rect class={kind} x={from} width={Math.max(1, to - from)} y={top} height={bottom - top} />;
}
