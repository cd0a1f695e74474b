import type { Chapter } from '../chapter.ts';
import type { Finding } from '../finding.ts';
import { chapterOf, measureSome } from '../measure-some.ts';
import { percentiles } from '../../src/result/percentiles/percentiles.ts';
import { upperRankOf } from '../../src/statistics/rank-of.ts';
import { acceptanceTitles as titles } from './titles.ts';
import { measureCoverage } from './coverage.ts';
import { measureDispatch, measureIdentity } from './dispatch.ts';
import { compareSchedules, measureSentInstants } from './sent-instants.ts';

/** Options of the acceptance bench; `scale`: share of the 2,000 coverage series to run. */
interface AcceptanceBench {
  scale: number;
  report: (text: string) => void;
}

const cases: Readonly<Record<string, (bench: AcceptanceBench) => Promise<Chapter>>> = {
  dispatch: async ({ report }) =>
    chapterOf(titles[0], [...(await measureDispatch(report)), ...(await measureIdentity())]),
  instants: async ({ report }) => chapterOf(titles[1], [...(await measureSentInstants(report)), ...compareSchedules()]),
  percentiles: () => Promise.resolve(chapterOf(titles[2], earlyStopping())),
  coverage: ({ scale, report }) =>
    Promise.resolve(chapterOf(titles[3], measureCoverage(Math.ceil(2000 * scale), report))),
};

export const acceptanceParts = Object.keys(cases);

/** Runs published cases of other tools, and compares the figures with the published or computed answers. */
export function measureAcceptance(bench: AcceptanceBench, only?: readonly string[]): Promise<Chapter[]> {
  return measureSome(cases, bench, only);
}

/** MLPerf's minimum sample sizes for publishing a percentile, and its conservative estimate. */
const minimums = { p50: 11, p75: 24, p90: 64, p95: 130, p99: 662, 'p99.9': 6636, 'p99.99': 66_381 };

function earlyStopping(): Finding[] {
  const published = new Map(percentiles.map(({ name, floor }) => [name, floor]));
  return [
    ...Object.entries(minimums).map(([name, min]) => ({
      what: `MLPerf: number of samples from which ${name} is published`,
      value: published.get(name) ?? NaN,
      atLeast: min,
      atMost: min,
    })),
    {
      what: 'MLPerf: rank from the top of the conservative p99 among 10,000',
      value: 10_001 - (upperRankOf(99, 10_000) ?? NaN),
      atLeast: 77,
      atMost: 77,
    },
  ];
}
