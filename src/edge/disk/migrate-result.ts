import { isObject } from '../../base/is-object.ts';

/** Converts a document of one version to the next. */
interface Migration {
  from: number;
  apply: (document: unknown) => unknown;
}

/** In the order of versions, by the kind of the document. A step also converts parts of a document. */
export const migrations: Readonly<Record<string, readonly Migration[]>> = {
  'chat-load/result': [
    {
      from: 1,
      apply: renaming([
        ['run.stop.why', 'reason'],
        ['retries.timeLostMs', 'backoffActualMs'],
        ['retries.policies.*.timeLostMs', 'backoffActualMs'],
        ['retries.policies.*.intervals.timeLostPerTurnMs', 'backoffActualPerTurnMs'],
        ['retries.verdict.pairs.*.differences.timeLostPerTurnMs', 'backoffActualPerTurnMs'],
        ['drift.series.*.of', 'subject'],
        ['drift.series.*.stretches', 'segments'],
        ['calibration.within', 'largestErrors'],
      ]),
    },
    { from: 2, apply: beforeStreams },
  ],
  'chat-load/comparison': [
    {
      from: 1,
      apply: renaming([
        ['inWords', 'summary'],
        ['broken.*.why', 'reason'],
        ['metrics.*.degrees', 'degreesOfFreedom'],
        ['metrics.*.priorDegrees', 'priorDegreesOfFreedom'],
        ['where.inWords', 'summary'],
        ['where.overTime', 'deciles'],
        ['where', 'localization'],
      ]),
    },
  ],
  // What is new in version 2 has a default.
  'chat-load/trend': [{ from: 1, apply: (trend) => trend }],
  'chat-load/check': [{ from: 1, apply: (check) => skipUntried(renaming([['counts.notTried', 'skipped']])(check)) }],
  'chat-load/probe': [
    {
      from: 1,
      apply: renaming([
        ['replyMsAlone', 'singleConnectionReplyMs'],
        ['ceiling.why', 'reason'],
      ]),
    },
  ],
};

/** Nothing came in pieces, and no user left. */
function beforeStreams(result: unknown): unknown {
  return adding(result, [
    ['outcomes.attempts', newClasses],
    ['outcomes.createAttempts', newClasses],
    ['outcomes.turns', newClasses],
    ['retries.byCause', newClasses],
    ['retries.creations.byCause', newClasses],
    ['retries.policies.*.byCause', newClasses],
    ['retries.policies.*.creations.byCause', newClasses],
    ['retries.policies.*.outcomes.attempts', newClasses],
    ['retries.policies.*.outcomes.createAttempts', newClasses],
    ['retries.policies.*.outcomes.turns', newClasses],
    ['retries.policies.*.latency', newSeries],
    ['latency', newSeries],
    ...['turns', 'attempts', 'createAttempts'].flatMap((part): Addition[] => [
      [`books.${part}`, { abandoned: 0 }],
      [`books.warmUp.${part}`, { abandoned: 0 }],
    ]),
    ['target', { protocol: 'chat-messaging', stream: false }],
    ['', { stream: noStream, history: noHistory }],
  ]);
}

const newClasses = { abandoned: 0, truncated: 0 };
const noPercentiles = { p50Ms: null, p75Ms: null, p90Ms: null, p95Ms: null, p99Ms: null, p999Ms: null, p9999Ms: null };
const noValues = { count: 0, sumMs: 0, minMs: null, meanMs: null, maxMs: null, ...noPercentiles, hdr: null };
const noSplitValues = { ...noValues, ok: noValues, failed: noValues };
const newSeries = {
  firstToken: noSplitValues,
  firstAnswer: noSplitValues,
  effectiveFirstToken: noSplitValues,
  gap: noSplitValues,
  tokenTime: noValues,
  replyTail: noValues,
};
const noStream = {
  replies: 0,
  contentEvents: 0,
  sharedReads: null,
  missingDone: 0,
  reasoned: 0,
  retriesAfterContent: 0,
  abandoned: 0,
  toolTurns: 0,
  inputTokens: 0,
  outputTokens: 0,
  toldUsage: 0,
  outputTokensPerSecond: null,
};
const noHistory = ['1', '2', '3-4', '5-8', '9-16', '17+'].map((position) => ({
  position,
  requests: 0,
  bodyBytes: null,
  inputTokens: null,
}));

/** A rule that could not be tried was `not_tried`. */
function skipUntried(check: unknown): unknown {
  if (!isObject(check) || !Array.isArray(check['rules'])) return check;
  const rules: readonly unknown[] = check['rules'];
  const isUntried = (rule: unknown): rule is object => isObject(rule) && rule['verdict'] === 'not_tried';
  return { ...check, rules: rules.map((rule) => (isUntried(rule) ? { ...rule, verdict: 'skipped' } : rule)) };
}

/** The version that documents of a kind are written in. */
export function newestVersion(steps: readonly Migration[]): number {
  return (steps.at(-1)?.from ?? 0) + 1;
}

/** A document as one of the newest version; `undefined` when it cannot be converted. */
export function migrate(document: unknown, version: unknown, steps: readonly Migration[]): unknown {
  if (version === newestVersion(steps)) return document;
  const step = steps.find(({ from }) => from === version);
  if (step === undefined) return undefined;
  const next = step.from + 1;
  return migrate(withVersion(step.apply(document), next), next, steps);
}

const withVersion = (document: unknown, schemaVersion: number): unknown =>
  isObject(document) && 'schemaVersion' in document ? { ...document, schemaVersion } : document;

type Addition = readonly [path: string, fields: Readonly<Record<string, unknown>>];

/** Adds fields to objects, each by its path, in which `*` is every element; '' is the document. Missing objects stay missing. */
function adding(document: unknown, additions: readonly Addition[]): unknown {
  return additions.reduce(
    (left, [path, fields]) => withFields(left, path === '' ? [] : path.split('.'), fields),
    document,
  );
}

function withFields(value: unknown, path: readonly string[], fields: Addition[1]): unknown {
  const [key, ...rest] = path;
  if (key === '*') return Array.isArray(value) ? value.map((each) => withFields(each, rest, fields)) : value;
  if (!isObject(value)) return value;
  if (key === undefined) return { ...value, ...fields };
  return key in value ? { ...value, [key]: withFields(value[key], rest, fields) } : value;
}

/**
 * Gives keys other names: each by its path, in which `*` is every element, and its new name. Missing keys are
 * ignored.
 */
function renaming(names: readonly (readonly [path: string, name: string])[]): (document: unknown) => unknown {
  return (document) => names.reduce((left, [path, name]) => renamed(left, path.split('.'), name), document);
}

function renamed(value: unknown, [key = '', ...rest]: readonly string[], name: string): unknown {
  if (key === '*') return Array.isArray(value) ? value.map((each) => renamed(each, rest, name)) : value;
  if (!isObject(value) || !(key in value)) return value;
  if (rest.length > 0) return { ...value, [key]: renamed(value[key], rest, name) };
  const { [key]: moved, ...others } = value;
  return { ...others, [name]: moved };
}
