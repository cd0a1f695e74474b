import { useMemo, useRef, useState } from 'preact/hooks';
import type { HeatBlock, Timeline } from '../../report/page/page.ts';
import { middlesOf, nearestIndex } from './aligned.ts';
import { Empty, Frame } from './frame.tsx';
import type { Sheet } from './save.ts';
import { moveByKey, ResetZoom, useTimeAxis, type Range } from './time-axis.tsx';
import { bucketMs, heatText } from './heat-cells.ts';
import { drawHeat, type DrawnHeat } from './heat-drawing.ts';
import { acrossOf, areaOf, type Span } from './area.ts';
import { useDrag, useWidth } from './use-element.ts';
import { ChoiceSelect } from './percentiles-view.tsx';
import { formatCount } from '../../base/format.ts';
import { Axes, MarkLines } from './axes.tsx';

const noTimeline: Timeline = { label: '', startMs: [], lengthMs: [], columns: {}, heat: {}, marks: [] };

/** Heat map of durations over time. It shares range and cursor with the other charts over time. */
export function HeatView({ block, timelines }: { block: HeatBlock; timelines: readonly Timeline[] }) {
  const { title, choices } = block;
  const [series, chooseSeries] = useState(choices[0]?.key ?? '');
  const [run, chooseRun] = useState(0);
  const timeline = timelines[run] ?? noTimeline;
  const intervals = timeline.heat[series] ?? [];
  const { axis, range, atMs } = useTimeAxis();
  const element = useRef<HTMLDivElement>(null);
  const width = useWidth(element);
  const { fromMs, toMs } = range ?? { fromMs: 0, toMs: axis.endMs };
  const drawn = useMemo(
    () => drawHeat({ timeline, intervals, shown: { fromMs, toMs }, width }),
    [timeline, intervals, fromMs, toMs, width],
  );
  const middles = useMemo(() => middlesOf(timeline), [timeline]);
  const across = acrossOf(areaOf({ width, top: 0, height: 0 }));
  const instantAt = (px: number): number =>
    fromMs + ((px - across.fromPx) / (across.toPx - across.fromPx)) * (toMs - fromMs);
  const { drag, listeners } = useDrag(element, {
    area: { left: across.fromPx, right: across.toPx, top: 0, bottom: 0 },
    point: (px) => axis.point(px === null ? null : (middles[nearestIndex(middles, instantAt(px)) ?? -1] ?? null)),
    select: ({ fromPx, toPx }) => axis.show({ fromMs: instantAt(fromPx), toMs: instantAt(toPx) }),
  });
  const index = atMs === null ? null : nearestIndex(middles, atMs);
  const ofAll = timelines.length > 1 ? `, ${timeline.label}` : '';
  return (
    <Frame
      block={block}
      element={element}
      pictureTitle={`${title}: ${choices.find(({ key }) => key === series)?.label ?? series}${ofAll}`}
      sheet={() => sheetOf(timeline, intervals)}
    >
      {choices.length < 2 && timelines.length < 2 ? null : (
        <p class="choices">
          <ChoiceSelect name="Series" options={choices} chosen={series} choose={chooseSeries} />
          {timelines.length < 2 ? null : (
            <ChoiceSelect
              name="Run"
              options={timelines.map(({ label }, index) => ({ key: String(index), label }))}
              chosen={String(run)}
              choose={(key) => chooseRun(Number(key))}
            />
          )}
        </p>
      )}
      <div
        class="plot heat"
        ref={element}
        tabIndex={0}
        role="application"
        aria-label={`${title}: arrow keys move the cursor, plus and minus zoom, 0 shows all`}
        onKeyDown={(event) => moveByKey(event, axis, middles)}
        onDblClick={() => axis.show(null)}
        {...listeners}
      >
        {drawn === null ? <Empty /> : null}
        {drawn === null || width === 0 ? null : (
          <HeatPicture
            drawn={drawn}
            width={width}
            drag={drag}
            cursor={index === null ? null : columnOf(timeline, index)}
          />
        )}
      </div>
      <p class="at" aria-live="polite">
        {index === null ? ' ' : heatText(timeline, intervals, index)}
        <ResetZoom axis={axis} range={range} />
      </p>
    </Frame>
  );
}

function columnOf({ startMs, lengthMs }: Timeline, index: number): Range {
  const fromMs = startMs[index] ?? 0;
  return { fromMs, toMs: fromMs + (lengthMs[index] ?? 0) };
}

function sheetOf({ startMs }: Timeline, intervals: readonly (readonly number[])[]): Sheet {
  const cellsOf = (pairs: readonly number[]): [number, number][] =>
    Array.from({ length: Math.floor(pairs.length / 2) }, (_, pair) => [pairs[2 * pair] ?? 0, pairs[2 * pair + 1] ?? 0]);
  return {
    columns: ['time (s)', 'from (ms)', 'below (ms)', 'count'],
    rows: intervals.flatMap((pairs, index) =>
      cellsOf(pairs).map(([bucket, count]) => [
        (startMs[index] ?? 0) / 1000,
        Number(bucketMs(bucket).toPrecision(6)),
        Number(bucketMs(bucket + 1).toPrecision(6)),
        count,
      ]),
    ),
  };
}

interface HeatPictureProps {
  drawn: DrawnHeat;
  width: number;
  drag: Span | null;
  cursor: Range | null;
}

/** Cells with the cursor in a layer above, so that moving it does not redraw thousands of cells. */
function HeatPicture({ drawn, width, drag, cursor }: HeatPictureProps) {
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
          <path key={ramp} style={{ '--level': ramp }} d={cells} />
        ))}
        {levels.map(({ ramp, fromPx, toPx }) => (
          <rect
            key={ramp}
            style={{ '--level': ramp }}
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
      {drawn.max === null ? null : (
        <text x={(levels.at(-1)?.toPx ?? area.left) + 8} y={area.bottom + 40}>
          to {formatCount(drawn.max)}
        </text>
      )}
    </svg>
  );
}

interface ColumnProps extends Span {
  kind: 'cursor' | 'selection' | 'shade';
  area: DrawnHeat['area'];
}

/** A time range over the whole height, clipped to the area. */
function Column({ kind, area: { left, right, top, bottom }, fromPx, toPx }: ColumnProps) {
  const [from, to] = [Math.max(left, Math.min(fromPx, toPx)), Math.min(right, Math.max(fromPx, toPx))];
  return to < from ? null : <rect class={kind} x={from} width={Math.max(1, to - from)} y={top} height={bottom - top} />;
}
