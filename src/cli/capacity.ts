import { loadUnits } from '../capacity/document/step.ts';
import { formatsOf } from '../report/render.ts';
import type { Command } from './command.ts';
import type { CapacityArguments } from './capacity-arguments.ts';
import { takeFlags, takeFormat } from './flags.ts';
import { takePromptFlags } from './prompt-flags.ts';
import { takeOptionalScenario } from './scenario-flags.ts';

const asked = 'What is searched:';

/** What the search sets itself. */
const replaced: readonly (string | undefined)[] = ['sessions', 'duration', 'concurrency', 'rate'];

export const capacityCommand: Command<CapacityArguments> = {
  builder: (yargs) =>
    takeFormat(
      takeFlags(
        takePromptFlags(takeOptionalScenario(yargs, ({ flag }) => !replaced.includes(flag))),
        ...(['label', 'out', 'quiet', 'json', 'dry-run'] as const),
      ),
      formatsOf('chat-load/capacity'),
    )
      .describe('json', 'Print only the document, as JSON')
      .describe('label', 'A name for this search, in its document and file name')
      .describe('out', 'The folder for the document')
      .describe('quiet', 'No progress and no tables: only failures, the target, the path and the answer')
      .describe('dry-run', 'Check everything, show what would be searched, and send nothing')
      .describe(
        'max-duration',
        'Maximum duration of the whole search [maxDuration of the scenario, else 30m or 20 session lengths]',
      )
      .describe('max-turns', 'The most messages of the whole search, retries included [maxTurns of the scenario]')
      .describe('max-sessions', 'Maximum number of sessions of the whole search [maxSessions of the scenario]')
      .describe('max-cost', 'Nothing more is sent once replies have cost this much in all [maxCost of the scenario]')
      .option('objective', {
        type: 'string',
        array: true,
        nargs: 1,
        default: [] as string[],
        defaultDescription: 'the gates of the scenario',
        group: asked,
        describe: "What has to hold, such as 'turn.p95 < 2s' or 'turns.failedShare < 1%'; may be repeated",
      })
      .option('by', {
        choices: loadUnits,
        requiresArg: true,
        group: asked,
        defaultDescription: 'as the load of the scenario',
        describe: 'What is raised: sessions at a time, or sessions a second',
      })
      .option('least', {
        type: 'number',
        requiresArg: true,
        group: asked,
        defaultDescription: '1, or a hundredth of the rate at which one session is live',
        describe: 'The lowest load',
      })
      .option('most', {
        type: 'number',
        requiresArg: true,
        group: asked,
        defaultDescription: 'what the sockets allow; a rate of 100000',
        describe: 'The highest load that may be tried',
      })
      .option('width', {
        type: 'string',
        default: '15%',
        requiresArg: true,
        group: asked,
        describe: 'How far apart the load that holds and the one that breaks may be',
      })
      .option('max-step', {
        type: 'string',
        default: '5m',
        requiresArg: true,
        group: asked,
        describe: 'Maximum duration of one step',
      })
      .option('pause', {
        type: 'string',
        default: '2s',
        requiresArg: true,
        group: asked,
        describe: 'The rest for the service behind a load that was too much',
      })
      .option('cores', {
        type: 'string',
        requiresArg: true,
        group: asked,
        describe: 'Send from so many processes of this machine; auto: as many as it has cores',
      })
      .option('report', {
        type: 'string',
        array: true,
        requiresArg: true,
        default: [] as string[],
        describe:
          'Write a report to this file too: .html (a page), .md, .xml (JUnit), .csv, .json, .txt; may be repeated',
      })
      .epilogue(
        'Exit codes: 0 found, or all objectives hold at the highest load; 1 an objective fails at the lowest load, or the service did not recover; ' +
          '2 usage, or the scenario failed; 3 the target is gone or unfit, the key was refused, or a file cannot be written; 4 no full answer: the generator was the limit, the steps were too short, or a bound was reached; ' +
          '70 a bug; 129, 130, 143 a signal. What is known is written in any case.',
      )
      .example(
        "$0 capacity peak.ts --objective 'turn.p95 < 2s'",
        'The most sessions at a time; --objective may be repeated',
      )
      .example("$0 capacity peak.ts --by rate --objective 'effective.p95 < 3s'", 'The most sessions a second')
      .example('$0 capacity peak.ts --dry-run', 'With the gates of the scenario: what would be searched')
      .example('$0 capacity peak.ts --least 50 --most 400 --report capacity.html', 'From what is known, with a page'),
  handler: async (args) => (await import('./perform-search.ts')).performSearch(args),
};
