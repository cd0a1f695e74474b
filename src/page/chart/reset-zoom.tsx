import type { Range, TimeAxis } from './time-axis.ts';
import { instantText } from './values.ts';

/** Shows all again; nothing while all is shown. */
export function ResetZoom({ axis, range }: { axis: TimeAxis; range: Range | null }) {
  if (range === null) return null;
  return (
    <button type="button" class="reset" onClick={() => axis.show(null)}>
      {instantText(range.fromMs)} to {instantText(range.toMs)}: show all
    </button>
  );
}
