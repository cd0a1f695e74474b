import { ChatLoadError } from '../base/errors.ts';
import { trendDefaults } from '../compare/trend/build-trend.ts';
import type { AlarmOn } from '../compare/trend/find-alarm.ts';
import { keepHistory } from '../app/trend/keep-history.ts';
import { performTrend } from '../app/trend/perform-trend.ts';
import type { Command } from './command.ts';
import { readFormat, takeFlags, takeFormat } from './flags.ts';
import { printDocument } from './print-document.ts';

const formats = ['terminal', 'html', 'markdown', 'json'] as const;

interface TrendArguments {
  folder: string;
  scenario?: string | undefined;
  label?: string | undefined;
  metric?: string[] | undefined;
  alpha: number;
  window: number;
  format?: (typeof formats)[number] | undefined;
  json: boolean;
  history?: string | undefined;
  'fail-on'?: AlarmOn | undefined;
  recent: number;
}

export const trendCommand: Command<TrendArguments> = {
  builder: (yargs) =>
    takeFormat(takeFlags(yargs, 'json'), formats)
      .positional('folder', { type: 'string', default: 'results', describe: 'The folder with the results' })
      .option('scenario', { type: 'string', requiresArg: true, describe: 'Only the scenario of this name' })
      .option('label', { type: 'string', requiresArg: true, describe: 'Only runs with this label' })
      .option('metric', {
        type: 'string',
        array: true,
        nargs: 1,
        describe: 'Only this metric; may be repeated [the gate family and two more]',
      })
      .option('alpha', {
        type: 'number',
        default: trendDefaults.alpha,
        requiresArg: true,
        describe: 'The greatest p of a change that is reported: 0.001 for alarms, 0.005 to look closer',
      })
      .option('window', {
        type: 'number',
        default: trendDefaults.window,
        requiresArg: true,
        describe: 'The number of latest nights to look at',
      })
      .describe('json', 'The same as --format json')
      .option('history', {
        type: 'string',
        requiresArg: true,
        describe:
          'Write how much nights differ, for compare, to this file; history.json beside the results is found by itself',
      })
      .option('fail-on', {
        choices: ['change', 'regression'] as const,
        describe: 'Exit with 1 when a gated metric changed in the recent nights; regression: only for the worse',
      })
      .option('recent', {
        type: 'number',
        default: 7,
        requiresArg: true,
        describe:
          'The number of nights that are recent; a change is reported after 3 of them, a small one after 6 or more',
      })
      .epilogue(
        'A night is a sitting; so is a single run. A change of the scenario text, machine class or load starts a new ' +
          'series. Exit codes: 0 ok, 1 by --fail-on, 2 usage or no results, 3 the history cannot be written.',
      )
      .example('$0 trend', 'What changed in results/, and since when')
      .example('$0 trend nightly --metric turn.ok.p99 --alpha 0.005', 'One metric, examined closely')
      .example('$0 trend nightly --fail-on regression', 'For a nightly job')
      .example('$0 trend nightly --format markdown', 'For a page')
      .example('$0 trend nightly --history nightly/history.json', 'Keep the usual noise for compare'),
  handler: async (args) => {
    checkNumbers(args);
    const format = readFormat(args);
    const { 'fail-on': failOn, history } = args;
    const { trend, runs } = performTrend({ ...args, failOn, metrics: args.metric });
    if (history !== undefined) await keepHistory(runs, history);
    await printDocument(trend, format, { kept: history });
    process.exitCode = (trend.alarm?.date ?? null) === null ? 0 : 1;
  },
};

function checkNumbers({ alpha, window, recent }: TrendArguments): void {
  if (!(alpha > 0 && alpha < 1)) throw usage('--alpha takes a probability.', 'Give one such as 0.001 or 0.005.');
  if (!Number.isInteger(window) || window < 10)
    throw usage('--window takes the number of nights to look at.', 'Give a whole number of at least 10, such as 60.');
  if (!Number.isInteger(recent) || recent < 3)
    throw usage(
      '--recent takes the number of nights that are recent.',
      'Give a whole number; no change is reported before 3 nights.',
    );
}

const usage = (message: string, hint: string): ChatLoadError => new ChatLoadError('usage', { message, hint });
