import { useContext, useEffect, useState } from 'preact/hooks';
import { TimeAxisContext, type Range, type TimeAxis } from './time-axis.ts';

interface Followed {
  axis: TimeAxis;
  /** `null`: all is shown. */
  range: Range | null;
  /** `null`: nothing is pointed at. */
  atMs: number | null;
}

/** The shared time axis, followed. */
export function useTimeAxis(): Followed {
  const axis = useContext(TimeAxisContext);
  const [seen, see] = useState({ range: axis.range, atMs: axis.atMs });
  useEffect(() => axis.watch(() => see({ range: axis.range, atMs: axis.atMs })), [axis]);
  return { axis, ...seen };
}
