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
import { requireResult } from './documents.ts';
import { readOptions, share, type OptionsOf, type Share } from './options.ts';

/** The least change of a metric that matters: a share, or text such as `'15%'`; of a metric that is a share, such as `'0.2pp'`. */
export type Margin = Share | `${number}pp`;

const side = z.array(z.custom<Result | string>()).readonly();

const compareShape = {
  /** Results of the release as it was: documents, or files, folders and patterns to read them from. */
  base: side,
  /** Results of the release to judge. */
  head: side,
  baseLabel: z.string().optional(),
  headLabel: z.string().optional(),
  /** The least change of a metric that matters: `{ 'turn.ok.p99': '15%' }`, or `0.15`. */
  margins: z.record(z.string(), z.custom<Margin>()).readonly().optional(),
  /** The share of false alarms allowed among alarms. Default: 0.05. */
  falseDiscoveryRate: share.optional(),
  /** The `history.json` that `chat-load trend --history` keeps. Default: none. */
  history: z.string().optional(),
  /** How much sittings differ (standard deviation, `0.05` or `'5%'`) where neither history nor the runs say it. Default: 5%. */
  assumedNoise: share.optional(),
  /** Compare what should not be compared. Default: false. */
  force: z.boolean().optional(),
};
export type CompareOptions = OptionsOf<typeof compareShape>;

/** Compares two releases by their results. Rejects with a usage error for a side without results, a file that is not a result, and an option outside its limits. */
export async function compareGiven(options: CompareOptions): Promise<Comparison> {
  const read = readOptions('compareResults', options, compareShape);
  const { margins = {}, falseDiscoveryRate: q, history, assumedNoise, force = false } = read;
  const settled = new Map(Object.entries(margins).map(([name, margin]) => [name, readMargin(name, margin)]));
  checkShare('falseDiscoveryRate', q, 0.5);
  checkShare('assumedNoise', assumedNoise, 1);
  return compareResults({
    base: await sideOf('base', options.base, options.baseLabel),
    head: await sideOf('head', options.head, options.headLabel),
    history: await readHistory(history ?? null, '.'),
    margins: settled,
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

function readMargin(name: string, margin: Margin): number {
  const rule = metricRules.find((each) => each.name === name);
  const known = metricRules.map((each) => each.name);
  if (rule === undefined) throw usage(`margins: ${unknownName('metric', name, known)}`);
  const unit = rule.unit === 'share' ? 'pp' : '%';
  const [, figure = NaN] = new RegExp(`^(\\d+(?:\\.\\d+)?)\\s*${unit}$`).exec(String(margin)) ?? [];
  const read = typeof margin === 'number' ? margin : Number(figure) / 100;
  if (read >= 0 && read < Infinity) return read;
  throw usage(`margins: ${name} takes a share, or text such as '15${unit}', not ${String(margin)}.`);
}

function checkShare(name: string, value: number | undefined, most: number): void {
  if (value === undefined || (value > 0 && value <= most)) return;
  throw usage(`${name} takes a share above 0 up to ${String(most)}, not ${String(value)}.`);
}

const usage = (message: string): ChatLoadError =>
  new ChatLoadError('usage', { message, hint: 'Change that option of compareResults; docs/library.md lists them.' });
