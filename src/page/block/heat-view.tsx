import { useMemo, useRef, useState } from 'preact/hooks';
import type { HeatBlock, Timeline } from '../../report/page/page.ts';
import { middlesOf, nearestIndex } from '../chart/aligned.ts';
import { Empty, Frame } from '../chart/frame.tsx';
import { pictureOf } from '../chart/picture.ts';
import type { Sheet } from '../chart/sheet.ts';
import { moveByKey } from '../chart/time-keys.ts';
import { bucketMs } from '../svg/heat-cells.ts';
import { drawHeat } from '../svg/heat-drawing.ts';
import { HeatPicture } from '../svg/heat-picture.tsx';
import { heatText } from '../svg/heat-reading.ts';
import { acrossOf, areaOf } from '../chart/area.ts';
import { ResetZoom } from '../chart/reset-zoom.tsx';
import { useDrag } from '../svg/use-drag.ts';
import { useTimeAxis } from '../chart/time-axis.ts';
import { useWidth } from '../chart/use-width.ts';
import { ChoiceSelect } from './choice-select.tsx';

const noTimeline: Timeline = { label: '', startMs: [], lengthMs: [], columns: {}, heat: {}, marks: [] };

/** How durations are spread over time. It shares range and cursor with the other charts over time. */
export function HeatView({ block, timelines }: { block: HeatBlock; timelines: readonly Timeline[] }) {
  const { id, title, description, choices } = block;
  const [series, chooseSeries] = useState(choices[0]?.key ?? '');
  const [run, chooseRun] = useState(0);
  const timeline = timelines[run] ?? noTimeline;
  const intervals = timeline.heat[series] ?? [];
  const { axis, range, atMs } = useTimeAxis();
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const { fromMs, toMs } = range ?? { fromMs: 0, toMs: axis.endMs };
  const drawn = useMemo(
    () => drawHeat({ timeline, intervals, shown: { fromMs, toMs }, width }),
    [timeline, intervals, fromMs, toMs, width],
  );
  const middles = useMemo(() => middlesOf(timeline), [timeline]);
  const across = acrossOf(areaOf({ width, top: 0, height: 0 }));
  const instantAt = (px: number): number =>
    fromMs + ((px - across.fromPx) / (across.toPx - across.fromPx)) * (toMs - fromMs);
  const { drag, listeners } = useDrag(place, {
    area: { left: across.fromPx, right: across.toPx, top: 0, bottom: 0 },
    point: (px) => axis.point(px === null ? null : (middles[nearestIndex(middles, instantAt(px)) ?? -1] ?? null)),
    select: ({ fromPx, toPx }) => axis.show({ fromMs: instantAt(fromPx), toMs: instantAt(toPx) }),
  });
  const index = atMs === null ? null : nearestIndex(middles, atMs);
  const ofAll = timelines.length > 1 ? `, ${timeline.label}` : '';
  return (
    <Frame
      id={id}
      title={title}
      description={description}
      sheet={() => sheetOf(timeline, intervals)}
      picture={() =>
        pictureOf(`${title}: ${choices.find(({ key }) => key === series)?.label ?? series}${ofAll}`, place.current)
      }
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
        ref={place}
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

function columnOf({ startMs, lengthMs }: Timeline, index: number): { fromMs: number; toMs: number } {
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
