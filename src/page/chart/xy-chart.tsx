import type { ComponentChildren } from 'preact';
import { useId, useRef, useState, useMemo } from 'preact/hooks';
import type { LinesBlock, Unit, CurveBlock } from '../../report/page/page.ts';
import { Empty, Frame } from './frame.tsx';
import { Legend, toggled } from './legend.tsx';
import { dashOf, toneStyle, markerPath } from './shapes.ts';
import type { Sheet } from './save.ts';
import { valueText } from './values.ts';
import { Axes, LimitLines, MarkLines, MarkList } from './axes.tsx';
import { limitsText } from './limits.ts';
import {
  movePointed,
  nearestPointed,
  type Pointed,
  positionText,
  readAt,
  readingText,
  type Between,
} from './reading.ts';
import { spotOf, useWidth } from './use-element.ts';
import { drawXy, type DrawnXy, hasMarkers, type XyBlock, type XyLimit, type XySeries } from './xy-drawing.ts';

interface XyChartProps {
  block: XyBlock & Pick<LinesBlock, 'id' | 'title' | 'description'>;
  isLog?: boolean;
  /** Labels of the series that are hidden at first. */
  off?: readonly string[];
  /** Controls between title and chart. */
  children?: ComponentChildren;
  /** Reading of a line between its points; a step always holds. */
  between?: Between;
}

/** Chart of series over any axis. Arrow keys and the pointer read values. */
export function XyChart({ block, isLog = false, off = [], children, between = 'nothing' }: XyChartProps) {
  const { title, x, series } = block;
  const element = useRef<HTMLDivElement>(null);
  const width = useWidth(element);
  const [hidden, hide] = useState<ReadonlySet<string>>(new Set(off));
  const limited = limitsText(block.limits ?? []);
  const [pointed, point] = useState<Pointed | null>(null);
  const sorted = series.map((each) => ({ ...each, points: each.points.toSorted((one, other) => one.x - other.x) }));
  const shown = sorted.map((each) => (hidden.has(each.label) ? [] : each.points));
  const drawn = drawXy({ block: { ...block, series: sorted }, shown, width, isLog });
  const at = pointed === null ? undefined : shown[pointed.series]?.[pointed.point];
  const betweenOf = (index: number): Between => ((series[index]?.form ?? block.form) === 'step' ? 'last' : between);
  const read = shown.map((points, index) => (at === undefined ? null : readAt(points, at.x, betweenOf(index))));
  const reading =
    at === undefined || pointed === null
      ? drawn.note
      : readingText(
          { x, unitOf: (each) => unitOf(block, each), chosen: pointed.series },
          at.x,
          sorted.map((each, index) => ({ series: each, point: read[index] ?? null })),
        );
  const onKeyDown = (event: KeyboardEvent): void => {
    const moved = movePointed(event, pointed, shown);
    if (moved === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    point(moved);
  };
  const dots = drawn.series.map((each) => each.dots);
  const onPointerMove = (event: PointerEvent): void => point(nearestPointed(dots, spotOf(event, element.current)));
  return (
    <Frame block={block} element={element} sheet={() => sheetOf(block)}>
      {children}
      {series.every(({ points }) => points.length === 0) ? (
        <Empty />
      ) : (
        <>
          <div
            class="plot"
            ref={element}
            tabIndex={0}
            role="application"
            aria-label={`${title}: arrow keys read values, up and down change the series`}
            onKeyDown={onKeyDown}
            onPointerDown={onPointerMove}
            onPointerMove={onPointerMove}
            onPointerLeave={(event) => {
              if (event.pointerType !== 'touch') point(null);
            }}
          >
            {width === 0 ? null : <XyPicture block={block} drawn={drawn} width={width} pointed={pointed} />}
          </div>
          {limited === '' ? null : <p class="hidden">{limited}</p>}
          <p class="at" aria-live="polite">
            {reading}
          </p>
          <MarkList marks={drawn.listed} />
          {series.length === 1 ? null : (
            <Legend
              entries={series.map(({ label, tone }, index) => ({
                label,
                tone,
                isHidden: hidden.has(label),
                value: at === undefined ? '' : valueText(read[index]?.y, unitOf(block, series[index])),
                look: lookOf({ ...block, series: sorted }, index),
              }))}
              toggle={(index) => {
                hide(toggled(hidden, series[index]?.label ?? ''));
                point(null);
              }}
            />
          )}
        </>
      )}
    </Frame>
  );
}

/** Returns the unit of a series, which is the unit of its axis. */
const unitOf = ({ unit, rightUnit }: XyChartProps['block'], series: XySeries | undefined): Unit =>
  series?.axis === 'right' && rightUnit !== undefined ? rightUnit : unit;

function lookOf({ series, form }: XyChartProps['block'], index: number): { hasLine: boolean; hasMarkers: boolean } {
  const each = series[index];
  if (each === undefined) return { hasLine: true, hasMarkers: false };
  return { hasLine: (each.form ?? form) !== 'points', hasMarkers: hasMarkers(each, form) };
}

interface PictureProps {
  block: XyChartProps['block'];
  drawn: DrawnXy;
  width: number;
  pointed: Pointed | null;
}

function XyPicture({ block: { x, series }, drawn, width, pointed }: PictureProps) {
  const { area } = drawn;
  const clip = useId();
  const dot = pointed === null ? undefined : drawn.series[pointed.series]?.dots[pointed.point];
  return (
    <svg
      viewBox={`0 0 ${String(width)} ${String(drawn.height)}`}
      width={width}
      height={drawn.height}
      aria-hidden="true"
    >
      <clipPath id={clip}>
        <rect
          x={area.left - 6}
          y={area.top - 6}
          width={area.right - area.left + 12}
          height={area.bottom - area.top + 12}
        />
      </clipPath>
      <Axes
        area={area}
        x={drawn.x.ticks}
        y={drawn.y.ticks}
        right={drawn.right?.ticks ?? []}
        title={x.form === 'text' ? '' : x.title}
      />
      <MarkLines marks={drawn.marks} area={area} />
      <g clip-path={`url(#${clip})`}>
        {series.map(({ label, tone }, index) => {
          const { line = '', band = '', whiskers = '', markers = '' } = drawn.series[index] ?? {};
          return (
            <g key={label} class="series tone" style={toneStyle(tone)}>
              <path class="band" d={band} />
              <path class="line" d={line} stroke-dasharray={dashOf(index).join(' ')} />
              <path class="whisker" d={whiskers} />
              <path class="marker" d={markers} />
            </g>
          );
        })}
      </g>
      <path class="beyond" d={drawn.arrows} />
      <LimitLines limits={drawn.limits} area={area} />
      {dot === undefined || pointed === null ? null : (
        <g class="tone" style={toneStyle(series[pointed.series]?.tone ?? 'neutral')}>
          <line class="cursor" x1={dot.x} x2={dot.x} y1={area.top} y2={area.bottom} />
          <path class="marker" d={markerPath(pointed.series, dot, 5.5)} />
        </g>
      )}
    </svg>
  );
}

function sheetOf(block: XyChartProps['block']): Sheet {
  const { x, unit, rightUnit, series } = block;
  const isOfOne = rightUnit === undefined;
  return {
    columns: ['series', x.title === '' ? x.form : x.title, isOfOne ? `value (${unit})` : 'value', 'low', 'high'],
    rows: series.flatMap(({ label, points }, index) =>
      points.map((point) => [
        isOfOne ? label : `${label} (${unitOf(block, series[index])})`,
        x.form === 'text' ? positionText(x, point.x) : point.x,
        point.y,
        point.low,
        point.high,
      ]),
    ),
  };
}

/** Percentile curves, with as much room for the tail as for the rest. */
export function CurveView({ block }: { block: CurveBlock }) {
  const [isLog, scale] = useState(block.isLog);
  const lines = useMemo(() => linesOf(block), [block]);
  const off = block.series.flatMap(({ label, isOff }) => (isOff === true ? [label] : []));
  return (
    <XyChart block={lines} isLog={isLog} off={off} between="next">
      <p class="choices">
        <label>
          <input type="checkbox" checked={isLog} onChange={() => scale(!isLog)} /> Logarithmic durations
        </label>
      </p>
    </XyChart>
  );
}

function linesOf({ id, title, description, series, limits }: CurveBlock): LinesBlock & { limits: readonly XyLimit[] } {
  return {
    type: 'lines',
    id,
    title,
    description,
    x: { title: 'percentile', form: 'percentile', labels: [] },
    unit: 'ms',
    form: 'line',
    marks: [],
    limits: limits.map(({ percentile, ...limit }) => ({ ...limit, untilX: percentile })),
    series: series.map(({ label, tone, points }) => ({
      label,
      tone,
      points: points.map(([x, y]) => ({ x, y, low: null, high: null })),
    })),
  };
}
