import type { Argv } from 'yargs';
import { defaultJudging, type Judging } from '../app/compare/judge-sides.ts';
import { ChatLoadError } from '../base/errors.ts';
import { gateFamily, metricRules } from '../compare/metrics/metric-rules.ts';
import { prepareFile } from '../edge/disk/write-result.ts';
import { readFormat, takeFlags, takeFormat } from './flags.ts';
import { unknownName } from '../base/unknown-name.ts';

/** The flags for judging and reporting a comparison, as parsed. */
export interface ComparisonArguments {
  margin?: string[] | undefined;
  fdr?: number | undefined;
  force: boolean;
  'fail-on'?: string | undefined;
  history?: string | undefined;
  'no-history': boolean;
  'assume-noise'?: string | undefined;
  format?: ComparisonFormat | undefined;
  json: boolean;
  html?: string | undefined;
  junit?: string | undefined;
  markdown?: string | undefined;
}

/** The same, read. */
export interface ComparisonOptions extends Judging {
  format: ComparisonFormat;
  html: string | undefined;
  junit: string | undefined;
  markdown: string | undefined;
}

const formats = ['terminal', 'html', 'markdown', 'json', 'junit'] as const;
type ComparisonFormat = (typeof formats)[number];

/** Adds those flags to a command. */
export function takeComparison<T>(yargs: Argv<T>): Argv<T & ComparisonArguments> {
  const judged = yargs
    .option('margin', {
      type: 'string',
      array: true,
      nargs: 1,
      group: 'How it is judged:',
      describe: 'The least change of a metric that matters, such as turn.ok.p99=15%; may be repeated',
    })
    .option('fdr', {
      type: 'number',
      requiresArg: true,
      group: 'How it is judged:',
      describe: `The share of false alarms allowed among alarms (Benjamini-Hochberg) [${String(defaultJudging.q)}]`,
    })
    .option('history', {
      type: 'string',
      requiresArg: true,
      group: 'How it is judged:',
      describe: 'The history.json of trend, for the usual noise between sittings [beside the base results]',
    })
    .option('no-history', {
      type: 'boolean',
      default: false,
      group: 'How it is judged:',
      describe: 'Judge by these runs only',
    })
    .option('assume-noise', {
      type: 'string',
      requiresArg: true,
      group: 'How it is judged:',
      describe: 'How much sittings differ (standard deviation), if neither history nor the runs show it [5%]',
    })
    .option('force', {
      type: 'boolean',
      default: false,
      group: 'How it is judged:',
      describe: 'Compare results that are not comparable; the verdict says so',
    })
    .option('fail-on', {
      choices: ['inconclusive'] as const,
      requiresArg: true,
      group: 'How it is judged:',
      describe: 'Exit with 1 also when the verdict is inconclusive',
    });
  return takeFlags(takeFormat(judged, formats), 'json', 'html', 'markdown', 'junit')
    .group(['format', 'json', 'html', 'markdown', 'junit'], 'Output:')
    .describe('json', 'The same as --format json');
}

/** Reads the flags, and checks that files can be written, before anything is read or sent. */
export async function readComparison(args: ComparisonArguments): Promise<ComparisonOptions> {
  const { fdr: q = defaultJudging.q, force, html, junit, markdown } = args;
  const format = readFormat(args);
  if (!(q > 0 && q < 0.5))
    throw usage(`--fdr takes a share between 0 and 0.5, not ${String(q)}.`, 'The default is 0.05.');
  for (const [flag, file] of Object.entries({ html, junit, markdown }))
    if (file !== undefined) await prepareFile(file, `--${flag}`);
  return {
    margins: new Map((args.margin ?? []).map(readMargin)),
    q,
    force,
    failOnInconclusive: args['fail-on'] === 'inconclusive',
    history: args['no-history'] ? null : args.history,
    assumedNoise: readNoise(args['assume-noise']),
    format,
    html,
    junit,
    markdown,
  };
}

/** `5%`, above zero: with a margin of zero any difference would be a regression. */
function readNoise(text: string | undefined): number {
  if (text === undefined) return defaultJudging.assumedNoise;
  const share = Number(/^(\d+(?:\.\d+)?)\s*%$/.exec(text)?.[1] ?? NaN) / 100;
  if (share > 0 && share <= 1) return share;
  throw usage(
    `--assume-noise takes a percentage above 0 up to 100, such as 5%, not '${text}'.`,
    'It is the standard deviation between sittings of one release; chat-load trend --history learns it from six or more nights.',
  );
}

/** `metric=10%`; for a share `metric=0.2pp`, in percentage points. */
function readMargin(text: string): [string, number] {
  const [, name = '', figure = '', unit = ''] = /^([^=]+)=(\d+(?:\.\d+)?)\s*(%|pp)$/.exec(text) ?? [];
  const rule = metricRules.find((each) => each.name === name);
  if (name === '')
    throw usage(
      `--margin takes metric=10% (or metric=0.2pp for a share), not '${text}'.`,
      'See chat-load compare --help.',
    );
  if (rule === undefined)
    throw usage(
      `--margin: ${unknownName(
        'metric',
        name,
        metricRules.map((each) => each.name),
      )}`,
      `Metrics that decide: ${gateFamily.join(', ')}.`,
    );
  const expected = rule.unit === 'share' ? 'pp' : '%';
  if (unit !== expected)
    throw usage(
      `--margin: ${name} is ${expected === 'pp' ? 'a share' : 'not a share'}, so its margin is given in ${expected === 'pp' ? 'percentage points' : 'per cent'}.`,
      `Write ${name}=${figure}${expected}.`,
    );
  return [name, Number(figure) / 100];
}

const usage = (message: string, hint: string): ChatLoadError => new ChatLoadError('usage', { message, hint });
