import type uPlot from 'uplot';
import type { Mark } from '../../report/page/page.ts';
import { colorOf } from './shapes.ts';

/** Draws the events of a run under its series: a band, or a line for an instant, with a label at the top. */
export function drawMarks(plot: uPlot, marks: readonly Mark[]): void {
  const { ctx, bbox } = plot;
  const [min = 0, max = 0] = [plot.scales['x']?.min, plot.scales['x']?.max];
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, 0, bbox.width, bbox.top + bbox.height);
  ctx.clip();
  ctx.font = `${String(11 * devicePixelRatio)}px system-ui, sans-serif`;
  // A redraw starts with the alignment of the last axis.
  ctx.textAlign = 'left';
  ctx.textBaseline = 'alphabetic';
  let free = 0;
  for (const { atMs, untilMs, label } of marks) {
    if (atMs > max || (untilMs ?? atMs) < min) continue;
    const from = plot.valToPos(atMs, 'x', true);
    if (untilMs !== null) {
      ctx.fillStyle = colorOf('shade');
      ctx.fillRect(from, bbox.top, Math.max(1, plot.valToPos(untilMs, 'x', true) - from), bbox.height);
    } else {
      ctx.strokeStyle = colorOf('faint');
      ctx.setLineDash([4, 4]);
      ctx.lineWidth = devicePixelRatio;
      ctx.beginPath();
      ctx.moveTo(from, bbox.top);
      ctx.lineTo(from, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.fillStyle = colorOf('faint');
    // At the right edge a label ends at the edge; it is omitted if it would overlap the previous one.
    const { width } = ctx.measureText(label);
    const at = Math.min(bbox.left + bbox.width - width, Math.max(from, bbox.left) + 4 * devicePixelRatio);
    if (at < free) continue;
    ctx.fillText(label, at, bbox.top - 5 * devicePixelRatio);
    free = at + width + 8 * devicePixelRatio;
  }
  ctx.restore();
}
