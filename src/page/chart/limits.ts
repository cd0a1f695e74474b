import type uPlot from 'uplot';
import type { Limit } from '../../report/page/page.ts';
import { colorOf } from './shapes.ts';

/** Factor by which a limit may exceed the data and still be on the axis; beyond it, data would become flat. */
const nearFactor = { linear: 2.5, log: 10 };

/** Returns the limits that an axis includes, for data up to `max`. */
export function nearLimits<Each extends Limit>(limits: readonly Each[], max: number, isLog = false): Each[] {
  return limits.filter(({ value }) => value > 0 && value <= max * nearFactor[isLog ? 'log' : 'linear']);
}

/** Returns the top of an axis from 0 that shows the data and the limits near it. */
export function topOf(max: number, limits: readonly Limit[]): number {
  if (!(max > 0)) return 1;
  return Math.max(max * 1.05, ...nearLimits(limits, max).map(({ value }) => value * 1.12));
}

/** A limit in pixels: its line, unless it is beyond the axis, and its label. */
export interface PlacedLimit {
  label: string;
  /** Null if it is beyond the axis. */
  linePx: number | null;
  labelPx: number;
}

const lineHeightPx = 14;

/** Places the labels above their lines, from the top, without overlap, starting with the limits beyond the axis. */
export function placeLimits(
  limits: readonly Limit[],
  { y, topPx, bottomPx }: { y: (value: number) => number; topPx: number; bottomPx: number },
): PlacedLimit[] {
  const placed: PlacedLimit[] = [];
  for (const { value, label } of limits.toSorted((a, b) => b.value - a.value)) {
    const px = y(value);
    const isBeyond = px < topPx;
    const free = Math.max(topPx + lineHeightPx - 2, (placed.at(-1)?.labelPx ?? -Infinity) + lineHeightPx);
    placed.push({
      label: isBeyond ? `${label} ↑` : label,
      linePx: isBeyond ? null : Math.min(px, bottomPx),
      labelPx: Math.max(free, isBeyond ? free : px - 4),
    });
  }
  return placed;
}

export function drawLimits(plot: uPlot, limits: readonly Limit[]): void {
  if (limits.length === 0) return;
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  const { left, top, width, height } = bbox;
  const placed = placeLimits(limits, {
    y: (value) => plot.valToPos(value, 'y', true) / scale,
    topPx: top / scale,
    bottomPx: (top + height) / scale,
  });
  ctx.save();
  ctx.strokeStyle = colorOf('limit');
  ctx.lineWidth = 1.5 * scale;
  ctx.font = `600 ${String(11 * scale)}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'alphabetic';
  for (const { label, linePx, labelPx } of placed) {
    if (linePx !== null) {
      ctx.setLineDash([8 * scale, 4 * scale]);
      ctx.beginPath();
      ctx.moveTo(left, linePx * scale);
      ctx.lineTo(left + width, linePx * scale);
      ctx.stroke();
    }
    ctx.setLineDash([]);
    const [x, y] = [left + 8 * scale, labelPx * scale];
    // A ground in the colour of the background keeps the label legible over curves.
    ctx.fillStyle = colorOf('surface');
    ctx.globalAlpha = 0.85;
    ctx.fillRect(x - 3 * scale, y - 11 * scale, ctx.measureText(label).width + 6 * scale, 14 * scale);
    ctx.globalAlpha = 1;
    ctx.fillStyle = colorOf('limit');
    ctx.fillText(label, x, y);
  }
  ctx.restore();
}

/** Lists limits for readers who do not see the chart. */
export function limitsText(limits: readonly Limit[]): string {
  return limits.length === 0 ? '' : `Limits: ${limits.map(({ label }) => label).join(', ')}.`;
}
