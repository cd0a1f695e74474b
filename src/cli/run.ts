import { formats } from '../report/formats.ts';
import type { Command } from './command.ts';
import { takeFlags, takeFormat } from './flags.ts';
import { takeFleetFlags } from './fleet-flags.ts';
import { takeMetricsFlags } from './metrics-flags.ts';
import type { GivenRun } from './perform-runs.ts';
import { mostUsed } from './flag-groups.ts';
import { takeOptionalScenario } from './scenario-flags.ts';
import { takePromptFlags } from './prompt-flags.ts';

export const runCommand: Command<GivenRun> = {
  builder: (yargs) =>
    takeFleetFlags(
      takeMetricsFlags(
        takeFormat(
          takeFlags(takePromptFlags(takeOptionalScenario(yargs)), 'label', 'out', 'quiet', 'json', 'dry-run'),
          formats,
        ),
      ),
    )
      .describe('json', 'Print only the result document on standard output, one line per run')
      .describe('format', 'Output format on standard output; json is --json, with line breaks')
      .option('repeat', {
        type: 'number',
        requiresArg: true,
        default: 1,
        describe: 'Number of runs, one after another, for compare; run i has the seed of the scenario + i - 1',
      })
      .option('report', {
        type: 'string',
        array: true,
        requiresArg: true,
        default: [] as string[],
        describe:
          'Write a report of the run to this file too: .html (a page), .md, .xml (JUnit), .csv, .hlog, .json, .txt; may be repeated; not with --repeat',
      })
      .option('live', {
        type: 'string',
        describe: 'Serve a page that follows the run, on this port of this machine; without one on a free port',
      })
      .option('live-host', {
        type: 'string',
        requiresArg: true,
        default: '127.0.0.1',
        describe: 'The address that the live page listens on',
      })
      .option('keep-journal', {
        type: 'boolean',
        default: false,
        describe: 'Keep the journal of the run beside the result',
      })
      .group(['label', 'report', 'out'], mostUsed)
      .epilogue(
        'Exit codes: 0 ok; 1 a gate failed or had no data, or replies broke integrity; 2 usage, or the scenario failed; ' +
          '3 the target is gone or unfit, the key was refused, or a file cannot be written; 4 the run is invalid; ' +
          '70 a bug; 129, 130, 143 a signal.',
      )
      .example('$0 run scenarios/smoke.ts', 'Five seconds against the embedded service')
      .example('$0 run --url http://localhost:8000/v1 --model NAME --stream', 'A minute of your model, without a file')
      .example(
        '$0 run peak.ts --base-url https://a.example --allow-host a.example',
        'Your own service; CHAT_LOAD_API_KEY and CHAT_LOAD_AGENT_ID are set',
      )
      .example('$0 run scenarios/soak.ts --duration 1h --label nightly', 'An hour of the soak, labelled')
      .example('$0 run scenarios/peak.ts --cores auto', 'On every core of this machine')
      .example(
        '$0 run peak.ts --fleet redis://10.0.0.5 --shards 8',
        'By eight workers; CHAT_LOAD_BASE_URL and CHAT_LOAD_AGENT_ID are set',
      )
      .example('$0 run scenarios/soak.ts --live', 'The soak, with a page to watch and to stop it')
      .example(
        '$0 run scenarios/peak.ts --repeat 5 --label v1.4',
        'Five runs, to compare with five of another release',
      ),
  handler: async (args) => (await import('./perform-runs.ts')).performRuns(args),
};
