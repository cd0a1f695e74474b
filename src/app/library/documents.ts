import picocolors from 'picocolors';
import { z } from 'zod';
import { checkDocument } from '../../edge/disk/parse-document.ts';
import { requireDocument } from '../../edge/disk/read-result.ts';
import { schemaOf, type Documents, type Kind, formats } from '../../report/documents.ts';
import { verdictLine } from '../../report/run/verdict-line.ts';
import { exitCodeOf } from '../../result/exit-code.ts';
import { resultKind, resultSchema, type Result } from '../../result/result.ts';
import { kindOf, renderAny } from '../report.ts';
import { readOptions, type OptionsOf, share, type Share } from './resolve-given.ts';
import { type ChatLoadError, usageError } from '../../base/errors.ts';
import { compareResults } from '../../compare/compare-results.ts';
import type { Comparison } from '../../compare/document/comparison.ts';
import type { RunOfSide, Side, SideName } from '../../compare/document/side.ts';
import { metricRules } from '../../compare/metrics/metric-rules.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { unknownMetric } from '../../result/metrics/unknown-metric.ts';
import { readHistory, readSide } from '../compare/perform-comparison.ts';

/** Verdict of a run, as the command reports it. */
export interface Judgement {
  passed: boolean;
  /** 0 passed, 1 a gate or the integrity of conversations failed, 2 a function of the scenario or of the caller failed, 3 an environment error stopped the run, 4 invalid, 70 a bug, 130 interrupted. */
  exitCode: number;
  /** `PASSED`, `FAILED: why` or `INVALID: why`. */
  line: string;
}

/** Judges a result as the exit code of the command does: by gates, integrity, validity, consistency checks and the reason for a stop. Throws a usage error for other documents. */
export function judgeResult(given: Result): Judgement {
  const result = requireResult('The document given to judgeResult', given);
  const exitCode = exitCodeOf(result);
  return { passed: exitCode === 0, exitCode, line: verdictLine(result) };
}

/** Validates a result of the caller. Throws a usage error that starts with `name`, or `not_comparable` for another version. */
function requireResult(name: string, given: unknown): Result {
  return requireDocument(name, checkDocument(given, resultKind, resultSchema));
}

const renderShape = {
  /** Default: `'terminal'`. `chat-load report --help` lists the formats of each document. */
  format: z.enum(formats).optional(),
  /** Number of columns of a text. Default: 80. */
  width: z.int().min(1).optional(),
};
export type RenderOptions = OptionsOf<typeof renderShape>;

/** Renders a document as `chat-load report` does, without colours. Throws a usage error for an invalid document or an unsupported format. */
export function renderGiven(given: Documents[Kind], options: RenderOptions): Promise<string> {
  const { format = 'terminal', width = 80 } = readOptions('renderDocument', options, renderShape);
  return renderKind(kindOf(given), given, { format, style: { width, colors: picocolors.createColors(false) } });
}

async function renderKind<Each extends Kind>(
  kind: Each,
  given: Documents[Each],
  rendering: Parameters<typeof renderAny>[2],
): Promise<string> {
  const name = 'The document given to renderDocument';
  const document: Documents[Each] = requireDocument(name, checkDocument(given, kind, await schemaOf(kind)));
  return renderAny(name, document, rendering);
}

/** Minimum relevant change of a metric: a share, or text such as `'15%'`; for a metric that is a share, such as `'0.2pp'`. */
export type Margin = Share | `${number}pp`;

const side = z.array(z.custom<Result | string>()).readonly();

const compareShape = {
  /** Results of the baseline: documents, or files, folders and patterns to read them from. */
  base: side,
  /** Results of the release to judge. */
  head: side,
  baseLabel: z.string().optional(),
  headLabel: z.string().optional(),
  /** Minimum relevant change per metric: `{ 'turn.ok.p99': '15%' }`, or `0.15`. */
  margins: z.record(z.string(), z.custom<Margin>()).readonly().optional(),
  /** Maximum share of false alarms among alarms. Default: 0.05. */
  falseDiscoveryRate: share.optional(),
  /** Path of the `history.json` written by `chat-load trend --history`. Default: none. */
  history: z.string().optional(),
  /** Standard deviation between batches of runs (`0.05` or `'5%'`) if neither history nor runs show it. Default: 5%. */
  assumedNoise: share.optional(),
  /** Compare results that are not comparable. Default: false. */
  force: z.boolean().optional(),
};
export type CompareOptions = OptionsOf<typeof compareShape>;

/** Compares two releases by their results. Rejects with a usage error for a side without results, a file that is not a result, or an option outside its limits. */
export async function compareGiven(options: CompareOptions): Promise<Comparison> {
  const read = readOptions('compareResults', options, compareShape);
  const { margins = {}, falseDiscoveryRate: q, history, assumedNoise, force = false } = read;
  const resolved = new Map(Object.entries(margins).map(([name, margin]) => [name, readMargin(name, margin)]));
  checkShare('falseDiscoveryRate', q, 0.5);
  checkShare('assumedNoise', assumedNoise, 1);
  return compareResults({
    base: await sideOf('base', options.base, options.baseLabel),
    head: await sideOf('head', options.head, options.headLabel),
    history: await readHistory(history ?? null, '.'),
    margins: resolved,
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
  if (rule === undefined) throw usage(`margins: ${unknownMetric(name, known)}`);
  const unit = rule.unit === 'share' ? 'pp' : '%';
  const [, figure = NaN] = new RegExp(`^(\\d+(?:\\.\\d+)?)\\s*${unit}$`).exec(String(margin)) ?? [];
  const read = typeof margin === 'number' ? margin : Number(figure) / 100;
  if (read >= 0 && read < Infinity) return read;
  throw usage(`margins: ${name} takes a share, or text such as '15${unit}', not ${String(margin)}.`);
}

function checkShare(name: string, value: number | undefined, max: number): void {
  if (value === undefined || (value > 0 && value <= max)) return;
  throw usage(`${name} takes a share above 0 up to ${String(max)}, not ${String(value)}.`);
}

const usage = (message: string): ChatLoadError =>
  usageError(message, 'Change that option of compareResults; see docs/reference/library.md.');
