import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import type { Limit, Mark, TimeBlock, Timeline } from '../../report/page/page.ts';
import { align, isolatedOf, nearestIndex, stack, valueAt, withoutRest } from './aligned.ts';
import { drawMarks } from './draw-marks.ts';
import { drawLimits, limitsText, topOf } from './limits.ts';
import { Frame } from './frame.tsx';
import { Legend, toggled } from './legend.tsx';
import { colorOf, dashOf, useTheme } from './shapes.ts';
import type { Sheet } from './save.ts';
import { leftPx, rightPx } from './area.ts';
import { durationSteps } from './scales.ts';
import { useWidth } from './use-element.ts';
import { useTimeAxis, type TimeAxis, moveByKey, ResetZoom } from './time-axis.tsx';
import { instantText, tickTexts, valueText } from './values.ts';

interface TimeChartProps {
  block: TimeBlock;
  timelines: readonly Timeline[];
  /** Controls between title and chart. */
  children?: ComponentChildren;
}

/** Chart of series over the shared time axis. Drag to zoom, double-click to reset; arrows move the cursor, + and - zoom. */
export function TimeChart({ block, timelines, children }: TimeChartProps) {
  const { series, unit, form, title } = block;
  const { axis, range, atMs: at } = useTimeAxis();
  const element = useRef<HTMLDivElement>(null);
  const width = useWidth(element);
  const plot = useRef<uPlot>();
  const [hidden, hide] = useState<ReadonlySet<string>>(new Set());
  const data = useMemo(() => align(series, timelines.map(withoutRest)), [series, timelines]);
  const isShown = (index: number): boolean => !hidden.has(series[index]?.label ?? '');
  // Read at every redraw, because a live run continues.
  const marks = useRef(marksOf(timelines));
  marks.current = marksOf(timelines);
  const limits = useRef(block.limits ?? []);
  limits.current = block.limits ?? [];
  const limited = limitsText(limits.current);
  // The highest areas are drawn first, below the others.
  const drawn = form === 'stacked' ? series.toReversed() : series;
  const shown = useMemo(() => (form === 'stacked' ? stack(data, isShown) : data), [data, form, hidden]);
  const names = series.map(({ label }) => label).join('\n');

  useEffect(() => {
    if (element.current === null) return;
    const made = new uPlot(
      optionsOf({
        block: { ...block, series: drawn },
        marks: () => marks.current,
        limits: () => limits.current,
        axis,
        width: element.current.clientWidth,
      }),
      shown,
      element.current,
    );
    plot.current = made;
    const follow = axis.watch(() => followAxis(made, axis));
    followAxis(made, axis);
    return () => {
      follow();
      made.destroy();
    };
    // Rebuilt for other series; data and visibility update the existing plot.
  }, [names, unit, form, limited]);
  // Before the browser paints, possibly for print.
  useLayoutEffect(() => plot.current?.setSize({ width, height: heightOf }), [width]);
  useEffect(() => {
    plot.current?.setData(shown);
    if (plot.current !== undefined) followAxis(plot.current, axis);
  }, [shown]);
  useEffect(() => {
    for (const [index, { label }] of drawn.entries()) plot.current?.setSeries(index + 1, { show: !hidden.has(label) });
  }, [hidden, names]);
  useTheme(useCallback(() => plot.current?.redraw(false), []));

  const index = at === null ? null : nearestIndex(data[0], at);
  const values = series.map((_, each) => (index === null ? '' : valueText(valueAt(data[each + 1], index), unit)));
  // The title names a single line; the class of a single area is only in the legend.
  const isPlain = series.length === 1 && form === 'lines';
  const toggle = (which: number): void => hide(toggled(hidden, series[which]?.label ?? ''));
  return (
    <Frame block={block} element={element} sheet={() => sheetOf(block, align(series, timelines))}>
      {children}
      <div
        class="plot"
        ref={element}
        tabIndex={0}
        role="application"
        aria-label={`${title}: arrow keys move the cursor, plus and minus zoom, 0 shows all`}
        onKeyDown={(event) => moveByKey(event, axis, data[0])}
      />
      {limited === '' ? null : <p class="hidden">{limited}</p>}
      <p class="at" aria-live="polite">
        {index === null ? ' ' : `at ${instantText(data[0][index] ?? 0)}${isPlain ? `: ${values[0] ?? ''}` : ''}`}
        <ResetZoom axis={axis} range={range} />
      </p>
      {isPlain ? null : (
        <Legend
          entries={series.map(({ label, tone }, each) => ({
            label,
            tone,
            isHidden: !isShown(each),
            value: values[each] ?? '',
            ...(form === 'stacked' && { look: { hasLine: false, hasMarkers: false, isFilled: true } }),
          }))}
          toggle={toggle}
        />
      )}
    </Frame>
  );
}

const heightOf = 220;

/** Applies the range and the cursor of the axis to the plot. */
function followAxis(plot: uPlot, axis: TimeAxis): void {
  const [min, max] = shownOf(axis);
  if (plot.scales['x']?.min !== min || plot.scales['x'].max !== max) plot.setScale('x', { min, max });
  plot.setCursor({ left: axis.atMs === null ? -10 : plot.valToPos(axis.atMs, 'x'), top: -10 }, false);
}

function shownOf({ range, endMs }: TimeAxis): [number, number] {
  return range === null ? [0, endMs] : [range.fromMs, range.toMs];
}

/** Returns the events of a single run; with several runs they would be ambiguous. */
function marksOf([only, ...others]: readonly Timeline[]): readonly Mark[] {
  return others.length === 0 ? (only?.marks ?? []) : [];
}

interface Drawn {
  block: TimeBlock;
  marks: () => readonly Mark[];
  limits: () => readonly Limit[];
  axis: TimeAxis;
  width: number;
}

function optionsOf({ block: { series, unit, form }, marks, limits, axis, width }: Drawn): uPlot.Options {
  const line = (): { stroke: () => string; grid: object; ticks: object; font: string } => ({
    stroke: () => colorOf('faint'),
    grid: { stroke: () => colorOf('grid'), width: 1 },
    ticks: { stroke: () => colorOf('grid'), width: 1 },
    font: '12px system-ui, sans-serif',
  });
  return {
    width,
    height: heightOf,
    legend: { show: false },
    padding: [18, rightPx, 0, 0],
    cursor: {
      // The axis applies a selected range, to all charts.
      drag: { x: true, y: false, setScale: false },
      points: { size: 6 },
      bind: {
        dblclick: () => () => {
          axis.show(null);
          return null;
        },
      },
    },
    scales: {
      x: { time: false, range: () => shownOf(axis) },
      y: { range: (_, __, max) => [0, topOf(max, limits())] },
    },
    axes: [
      {
        ...line(),
        values: (_, values) => values.map(instantText),
        space: 70,
        size: 32,
        incrs: [...durationSteps],
      },
      { ...line(), values: (_, values) => tickTexts(values, unit), size: leftPx },
    ],
    series: [
      {},
      ...series.map(({ label, tone }, index) => strokeOf(label, { tone, index, isStacked: form === 'stacked' })),
    ],
    hooks: {
      drawClear: [(plot) => drawMarks(plot, marks())],
      draw: [(plot) => drawLimits(plot, limits())],
      setCursor: [(plot) => axis.point(plot.cursor.idx == null ? null : (plot.data[0][plot.cursor.idx] ?? null))],
      setSelect: [
        (plot) => {
          const { left, width: across } = plot.select;
          plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          if (across > 0) axis.show({ fromMs: plot.posToVal(left, 'x'), toMs: plot.posToVal(left + across, 'x') });
        },
      ],
    },
  };
}

interface Look {
  tone: TimeBlock['series'][number]['tone'];
  index: number;
  isStacked: boolean;
}

const isolated: uPlot.Series.Points.Filter = (plot, series) => isolatedOf(plot.data[series] ?? []);

function strokeOf(label: string, { tone, index, isStacked }: Look): uPlot.Series {
  const stroke = (): string => colorOf(tone);
  const base = { label, stroke, width: isStacked ? 1 : 2, spanGaps: false, points: { size: 5, filter: isolated } };
  return isStacked ? { ...base, fill: stroke } : { ...base, dash: dashOf(index) };
}

function sheetOf({ series, unit }: TimeBlock, data: uPlot.AlignedData): Sheet {
  return {
    columns: ['time (s)', ...series.map(({ label }) => `${label} (${unit})`)],
    rows: Array.from(data[0], (time, index) => [
      time / 1000,
      ...series.map((_, each) => data[each + 1]?.[index] ?? null),
    ]),
  };
}
