import { compareResults, defaultAssumedNoise } from '../../compare/compare-results.ts';
import type { Comparison } from '../../compare/document/comparison.ts';
import type { Side, SideName } from '../../compare/document/side.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { readHistory } from './read-history.ts';

/** By what releases are judged. */
export interface Judging {
  /** By metric; what is not in it keeps its default. */
  margins: ReadonlyMap<string, number>;
  /** The share of false alarms allowed among alarms. */
  q: number;
  force: boolean;
  /** Whether an inconclusive verdict counts as a failure. */
  failOnInconclusive: boolean;
  /** The file of the history; `undefined`: `history.json` beside the results, if there is one; `null`: none. */
  history: string | null | undefined;
  /** By how much sittings are taken to differ until there is a history, as a share. */
  assumedNoise: number;
}

/** How they are judged unless somebody says otherwise. */
export const defaultJudging: Judging = {
  margins: new Map(),
  q: 0.05,
  force: false,
  failOnInconclusive: false,
  history: undefined,
  assumedNoise: defaultAssumedNoise,
};

/** Compares two releases, with the history of a folder where `history` names no other. Throws a usage error for one that cannot be read. */
export async function judgeSides(
  { base, head }: Readonly<Record<SideName, Side>>,
  { history, margins, q, force, assumedNoise, failOnInconclusive }: Judging,
  folder: string,
): Promise<Comparison> {
  const known = await readHistory(history, folder);
  return compareResults({
    base,
    head,
    history: known,
    margins,
    q,
    force,
    assumedNoise,
    failOnInconclusive,
    toolVersion,
  });
}
