import { z } from 'zod';
import { ChatLoadError } from '../../base/errors.ts';
import { compareResults } from '../../compare/compare-results.ts';
import type { Comparison } from '../../compare/document/comparison.ts';
import type { RunOfSide, Side, SideName } from '../../compare/document/side.ts';
import { metricRules } from '../../compare/metrics/metric-rules.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import type { Result } from '../../result/result.ts';
import { unknownName } from '../../base/unknown-name.ts';
import { readHistory } from '../compare/read-history.ts';
import { readSide } from '../compare/read-side.ts';
import { checkOptions } from './check-options.ts';
import { requireResult } from './require-result.ts';

export interface CompareOptions {
  /** Results of the release as it was: documents, or files, folders and patterns to read them from. */
  base: readonly (Result | string)[];
  /** Results of the release to judge. */
  head: readonly (Result | string)[];
  baseLabel?: string | undefined;
  headLabel?: string | undefined;
  /** The least change of a metric that matters, as a share: `{ 'turn.ok.p99': 0.15 }`. */
  margins?: Readonly<Record<string, number>> | undefined;
  /** The share of false alarms allowed among alarms. Default: 0.05. */
  falseDiscoveryRate?: number | undefined;
  /** The `history.json` that `chat-load trend --history` keeps. Default: none. */
  history?: string | undefined;
  /** How much sittings differ (standard deviation, as a share) where neither history nor the runs say it. Default: 0.05. */
  assumedNoise?: number | undefined;
  /** Compare what should not be compared. Default: false. */
  force?: boolean | undefined;
}

const side = z.array(z.unknown());

const compareShape = {
  base: side,
  head: side,
  baseLabel: z.string().optional(),
  headLabel: z.string().optional(),
  margins: z.record(z.string(), z.unknown()).optional(),
  falseDiscoveryRate: z.unknown().optional(),
  history: z.string().optional(),
  assumedNoise: z.unknown().optional(),
  force: z.boolean().optional(),
} satisfies Record<keyof CompareOptions, z.ZodType>;

/** Compares two releases by their results. Rejects with a usage error for a side without results, a file that is not a result, and an option outside its limits. */
export async function compareGiven(options: CompareOptions): Promise<Comparison> {
  checkOptions('compareResults', options, compareShape);
  const { margins = {}, falseDiscoveryRate: q, history, assumedNoise, force = false } = options;
  checkMargins(margins);
  checkShare('falseDiscoveryRate', q, 0.5);
  checkShare('assumedNoise', assumedNoise, 1);
  return compareResults({
    base: await sideOf('base', options.base, options.baseLabel),
    head: await sideOf('head', options.head, options.headLabel),
    history: await readHistory(history ?? null, '.'),
    margins: new Map(Object.entries(margins)),
    ...(q !== undefined && { q }),
    ...(assumedNoise !== undefined && { assumedNoise }),
    force,
    toolVersion,
  });
}

async function sideOf(name: SideName, given: CompareOptions['base'], label: string | undefined): Promise<Side> {
  const runs: RunOfSide[] = [];
  for (const each of given) {
    if (typeof each !== 'string')
      runs.push({ file: null, result: requireResult(`A document of the ${name} side`, each) });
    else runs.push(...(await readSide({ name, sources: [each], label, folder: '.' })).runs);
  }
  return { label: label ?? runs[0]?.result.run.label ?? name, runs };
}

function checkMargins(margins: Readonly<Record<string, number>>): void {
  const known = metricRules.map(({ name }) => name);
  for (const [name, margin] of Object.entries(margins)) {
    if (!known.includes(name)) throw usage(`margins: ${unknownName('metric', name, known)}`);
    if (!(margin >= 0 && margin < Infinity)) throw usage(`margins: ${name} takes a share, not ${String(margin)}.`);
  }
}

function checkShare(name: string, value: number | undefined, most: number): void {
  if (value === undefined || (value > 0 && value <= most)) return;
  throw usage(`${name} takes a share above 0 up to ${String(most)}, not ${String(value)}.`);
}

const usage = (message: string): ChatLoadError =>
  new ChatLoadError('usage', { message, hint: 'Change that option of compareResults; docs/library.md lists them.' });
