import type { Chapter } from '../chapter.ts';
import { measureSome } from '../measure-some.ts';
import { measureErrors } from './errors.ts';
import { measureSlowdowns } from './slowdowns.ts';

/** Options of the bench on ordinary machines; `scale`: share of the full sizes. */
export interface OrdinaryBench {
  /** Folder for results. */
  folder: string;
  scale: number;
  report: (text: string) => void;
}

const tables: Readonly<Record<string, (bench: OrdinaryBench) => Promise<Chapter>>> = {
  slowdowns: measureSlowdowns,
  errors: measureErrors,
};

export const ordinaryTables = Object.keys(tables);

/** Measures what an ordinary machine can show: idle, and with one busy process per core. Processes are not pinned. */
export function measureOrdinary(bench: OrdinaryBench, only?: readonly string[]): Promise<Chapter[]> {
  return measureSome(tables, bench, only);
}
