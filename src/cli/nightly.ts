import { ChatLoadError } from '../base/errors.ts';
import type { Command } from './command.ts';
import { performNight } from '../app/nightly/perform-night.ts';
import { runSelf } from './run-self.ts';
import { stderr, stdout } from './terminal.ts';

interface NightlyArguments {
  scenario: string;
  head?: string | undefined;
  base?: string | undefined;
  'agent-id'?: string | undefined;
  model?: string | undefined;
  runs: number;
  results: string;
  baseline: string;
  reports: string;
}

/** An environment variable; one that is set to nothing, as an unset variable of a workflow is, counts as unset. */
const environment = (name: string): string | undefined => process.env[name] || undefined;

export const nightlyCommand: Command<NightlyArguments> = {
  builder: (yargs) =>
    yargs
      .positional('scenario', {
        type: 'string',
        default: environment('SCENARIO') ?? 'scenarios/nightly.ts',
        describe: 'The scenario file [SCENARIO]',
      })
      .option('head', {
        alias: 'head-url',
        type: 'string',
        requiresArg: true,
        default: environment('HEAD_URL'),
        describe: 'The URL of the release to judge, or embedded: the reference service, to try the job [HEAD_URL]',
      })
      .option('base', {
        type: 'string',
        requiresArg: true,
        default: environment('BASE_URL'),
        describe: 'Baseline URL, if the previous release is deployed too: both are then run alternately [BASE_URL]',
      })
      .option('agent-id', {
        type: 'string',
        requiresArg: true,
        default: environment('AGENT_ID'),
        describe: 'The agent, if not that of the scenario [AGENT_ID]',
      })
      .option('model', {
        type: 'string',
        requiresArg: true,
        describe: 'The model, for protocols with models instead of agents',
      })
      .option('runs', {
        type: 'number',
        requiresArg: true,
        default: Number(environment('RUNS') ?? 5),
        describe: 'Runs per side [RUNS]',
      })
      .option('results', {
        type: 'string',
        requiresArg: true,
        default: environment('RESULTS') ?? 'results/nightly',
        describe: 'The folder for results and their history [RESULTS]',
      })
      .option('baseline', {
        type: 'string',
        requiresArg: true,
        default: environment('BASELINE') ?? 'results/baseline',
        describe:
          'The folder with the results to compare with, if there is no --base; without any of this scenario, the first night in --results [BASELINE]',
      })
      .option('reports', {
        type: 'string',
        requiresArg: true,
        default: environment('REPORTS') ?? 'reports',
        describe: 'The folder for compare.html, compare.md, compare.xml and trend.md [REPORTS]',
      })
      .epilogue(
        'Keys and hosts come from the environment as for run and ab: CHAT_LOAD_API_KEY, CHAT_LOAD_ALLOW_HOSTS. ' +
          'Exit codes: 0 no regression; 1 a regression, a gate or integrity; 2 usage, or the scenario failed; ' +
          '3 the target is gone or unfit, the key was refused, or a file cannot be written; 4 not comparable, or a run is invalid; ' +
          '70 a bug; 129, 130, 143 a signal.',
      )
      .example('$0 nightly --head embedded --runs 3', 'Try the job; a second time compares with the first')
      .example('$0 nightly --head https://v2.example', 'Against the kept baseline')
      .example('$0 nightly --head https://v2.example --base https://v1.example', 'Both releases, alternately'),
  handler: async ({ head, base, ...night }) => {
    if (head === undefined || head === '') throw noHead();
    if (head === 'embedded' && base !== undefined) throw embeddedPair();
    if (!Number.isInteger(night.runs) || night.runs < 1) throw noCount();
    process.exitCode = await performNight(
      { ...night, agentId: night['agent-id'], head, base },
      { perform: runSelf, tell: (line) => stdout.line(line), warn: (line) => stderr.note(line) },
    );
  },
};

const noHead = (): ChatLoadError =>
  new ChatLoadError('usage', {
    message: 'No release to judge: HEAD_URL is not set.',
    hint: 'Set HEAD_URL or give --head URL; --head embedded loads the embedded reference service, to try the job.',
  });

const embeddedPair = (): ChatLoadError =>
  new ChatLoadError('usage', {
    message: 'The embedded service cannot be run alternately with another release.',
    hint: 'Leave out --base (BASE_URL), or name the release to judge with --head (HEAD_URL).',
  });

const noCount = (): ChatLoadError =>
  new ChatLoadError('usage', {
    message: '--runs (RUNS) takes a whole number of at least 1.',
    hint: 'Five runs per side are a good start: --runs 5.',
  });
