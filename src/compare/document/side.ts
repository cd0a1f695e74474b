import type { Result } from '../../result/result.ts';

/** A result, with where it was read from; `null` when it was not read from a file. */
export interface RunOfSide {
  file: string | null;
  result: Result;
}

/** One of the two releases that are compared: its runs, and what it is called. */
export interface Side {
  label: string;
  runs: readonly RunOfSide[];
}

export const sideNames = ['base', 'head'] as const;
export type SideName = (typeof sideNames)[number];
export type Sides = Readonly<Record<SideName, Side>>;

/** What a reader knows a run by: its file, where it was read from one. */
export function nameOf({ file, result }: RunOfSide): string {
  return file ?? `the run ${result.run.id}`;
}

/** Every run of both sides, the base first. */
export function resultsOf({ base, head }: Sides): Result[] {
  return [...base.runs, ...head.runs].map(({ result }) => result);
}
