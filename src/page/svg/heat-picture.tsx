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

export function HeatPicture({ drawn, width, drag, cursor }: HeatPictureProps) {
  const { area, height, levels, legend, marks, bands, place } = drawn;
  const [top, tall] = [area.top, area.bottom - area.top];
  return (
    <svg viewBox={`0 0 ${String(width)} ${String(height)}`} width={width} height={height} aria-hidden="true">
      {bands.map(({ fromPx, toPx }, index) => (
        <rect key={index} class="shade" x={fromPx} width={Math.max(1, toPx - fromPx)} y={top} height={tall} />
      ))}
      <Axes area={area} x={drawn.x} y={drawn.y} title="" />
      <g class="cells">
        {levels.map(({ cells, ramp }) => (
          <path key={ramp} class={`ramp-${String(ramp)}`} d={cells} />
        ))}
      </g>
      <MarkLines marks={marks} area={area} />
      {cursor === null ? null : <CursorColumn area={area} fromPx={place(cursor.fromMs)} toPx={place(cursor.toMs)} />}
      {drag === null ? null : (
        <rect class="selection" x={Math.min(drag.fromPx, drag.toPx)} width={Math.abs(drag.toPx - drag.fromPx)} y={top} height={tall} />
      )}
      <g class="cells">
        {levels.map(({ ramp, fromPx, toPx }) => (
          <rect key={ramp} class={`ramp-${String(ramp)}`} x={fromPx} width={toPx - fromPx} y={area.bottom + 30} height={10} />
        ))}
      </g>
      {legend.map(({ at, label }) => (
        <text key={label} x={at} y={area.bottom + 54} text-anchor="middle">
          {label}
        </text>
      ))}
      <text x={area.left - 8} y={area.bottom + 40} text-anchor="end">
        count
      </text>
    </svg>
  );
}

function CursorColumn({ area, fromPx, toPx }: { area: DrawnHeat['area']; fromPx: number; toPx: number }) {
  const [from, to] = [Math.max(area.left, fromPx), Math.min(area.right, toPx)];
  if (to < from) return null;
  return <rect class="cursor" x={from} width={Math.max(1, to - from)} y={area.top} height={area.bottom - area.top} />;
}
