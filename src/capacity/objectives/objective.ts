import type { SeriesName } from '../../record/series.ts';
import type { Tally } from '../../record/tally.ts';
import type { Operator } from '../../result/gates/condition-forms.ts';
import type { MetricPart } from '../../result/metrics/metric-part.ts';
import type { MetricUnit } from '../../result/metrics/metric.ts';
import type { Part } from '../beat.ts';

/** What has to hold under a load: `turn.p95 < 2s`. */
export interface Objective {
  metric: string;
  /** As it was written, without the metric. */
  condition: string;
  unit: MetricUnit;
  operator: Operator;
  /** In the unit. */
  limit: number;
  /** What is read of a run; none: counts alone. */
  series: readonly SeriesName[];
  /** Nobody asked for it: a load breaks where clearly more fails than this, and need not be shown to hold by it. */
  isGuard: boolean;
  /** What is judged: a part of a whole, and where it breaks. */
  share: {
    kind: MetricPart['kind'];
    /** Of part / whole; of a `count`: of the part. */
    limit: number;
    /** The figure in the unit that a share stands for; `null`: the share does not give it. */
    figureOf: (share: number) => number | null;
    partOf: (tally: Tally) => Part;
  };
}

/** What a stretch of a run says of an objective. */
export function partOf({ share }: Objective, tally: Tally): Part {
  return share.partOf(tally);
}
