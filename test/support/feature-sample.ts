import type { Format } from '../../src/report/documents.ts';
import type { Report } from '../../src/report/outline/report.ts';

/** Document of a feature, for the tests of all reports. A feature lists its samples in `test/samples.ts`. */
export interface FeatureSample {
  /** Name in the titles of tests, such as `a search`. */
  name: string;
  report: Report<never>;
  document: { kind: string };
}

/** Marks of doubtful figures by format, for a kind of document; the reason if a format, or the kind, has no latency. */
export interface DoubtfulSample {
  document: { kind: string };
  marks: Partial<Record<Format, RegExp | string>> | string;
}

export function sampleOf<Document extends { kind: string }>(
  name: string,
  report: Report<Document>,
  document: Document,
): FeatureSample {
  return { name, report, document };
}
