import { dirname, join } from 'node:path';
import type { Comparison } from '../../compare/document/comparison.ts';
import type { SideName, Side, RunOfSide } from '../../compare/document/side.ts';
import { compareResults, defaultAssumedNoise } from '../../compare/compare-results.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { usageError } from '../../base/errors.ts';
import { selfTestResults, type SelfTest } from '../../compare/self-test.ts';
import { readResult, readText } from '../../edge/disk/read-result.ts';
import type { Result } from '../../result/result.ts';
import { existsSync } from 'node:fs';
import { historySchema, type History } from '../../compare/document/history.ts';
import { parseDocument } from '../../edge/disk/parse-document.ts';
import { findResults } from '../../edge/disk/find-results.ts';
import { readItems, type SideSources } from './read-items.ts';

/** Reads the results of two releases and compares them. Throws a usage error for results or a history that cannot be read. */
export async function performComparison(
  sides: Readonly<Record<SideName, SideSources>>,
  judging: Judging,
): Promise<Comparison> {
  const base = await readSide(sides.base);
  const head = await readSide(sides.head);
  return judgeSides({ base, head }, judging, dirname(base.runs[0]?.file ?? ''));
}

export interface Judging {
  /** Margins by metric; other metrics keep their defaults. */
  margins: ReadonlyMap<string, number>;
  /** Maximum share of false alarms among alarms. */
  q: number;
  force: boolean;
  failOnInconclusive: boolean;
  /** Path of the history; `undefined`: `history.json` next to the results, if it exists; `null`: none. */
  history: string | null | undefined;
  /** Assumed noise between batches of runs without a history, as a share. */
  assumedNoise: number;
}

export const defaultJudging: Judging = {
  margins: new Map(),
  q: 0.05,
  force: false,
  failOnInconclusive: false,
  history: undefined,
  assumedNoise: defaultAssumedNoise,
};

/** Compares two releases, by default with the history of a folder. Throws a usage error for an unreadable history. */
export async function judgeSides(
  sides: Readonly<Record<SideName, Side>>,
  judging: Judging,
  folder: string,
): Promise<Comparison> {
  return compareResults({ ...judging, ...sides, history: await readHistory(judging.history, folder), toolVersion });
}

export type SelfTested = SelfTest & { label: string };

/** Compares the runs of one release with each other, many times. Throws a usage error for fewer than ten runs. */
export async function performSelfTest(sources: SideSources, { q }: { q: number }): Promise<SelfTested> {
  const side = await readSide(sources);
  const found = selfTestResults(side, { q });
  if (found !== null) return { label: side.label, ...found };
  throw usageError(
    `A self-test needs at least ten runs of one release; there ${side.runs.length === 1 ? 'is 1' : `are ${String(side.runs.length)}`}.`,
    'Add runs with chat-load run SCENARIO --repeat 10.',
  );
}

/** Reads the results of a comparison again, as far as possible, to draw them over time. */
export async function readCompared({ base, head }: Comparison): Promise<Result[]> {
  const files = [...base.runs, ...head.runs].flatMap(({ file }) => file ?? []);
  // A file may have been removed since.
  const read = await Promise.all(files.map((file) => readResult(file).catch(() => undefined)));
  return read.filter((result) => result !== undefined);
}

/**
 * Reads a history written by trend. `undefined` as path: the `history.json` of a folder, if it exists; `null`: none.
 */
export async function readHistory(path: string | null | undefined, folder: string): Promise<History | undefined> {
  if (path === null) return undefined;
  const own = join(folder, 'history.json');
  if (path === undefined && !existsSync(own)) return undefined;
  const file = path ?? own;
  const reading = parseDocument(await readText(file), 'chat-load/history', historySchema);
  if ('part' in reading) return reading.part;
  throw usageError(
    `${file} ${reading.problem}.`,
    'chat-load trend --history FILE writes it again; --no-history compares without it.',
  );
}

export async function readSide(sources: SideSources): Promise<Side> {
  const { label, items } = await readItems(sources, {
    noun: 'result',
    hint: 'Name result files, folders with results, patterns such as "results/peak-*-v1.json", or label:NAME.',
    find: findResults,
    read: async (file): Promise<RunOfSide> => ({ file, result: await readResult(file) }),
    labelOf: ({ result }) => result.run.label,
  });
  return { label, runs: items };
}
