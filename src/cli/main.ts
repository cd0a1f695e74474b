#!/usr/bin/env node
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { ChatLoadError, type ErrorCode } from '../base/errors.ts';
import { keepHeapSmall } from '../edge/health/keep-heap-small.ts';
import { onDemand } from './command.ts';
import { keepSecret, stderr } from './terminal.ts';
import { toolVersion } from './tool-version.ts';

const exitCodes: Readonly<Record<ErrorCode, number>> = { usage: 2, environment: 3, not_comparable: 4 };
const bugExitCode = 70;

/** Environment variables whose values are never printed, whatever else goes wrong. */
const secretNames = [
  'CHAT_LOAD_API_KEY',
  'CHAT_LOAD_BASE_API_KEY',
  'CHAT_LOAD_HEAD_API_KEY',
  'CHAT_LOAD_WRONG_KIND_KEY',
  'CHAT_LOAD_COMPLETIONS_KEY',
];

async function main(words: readonly string[]): Promise<void> {
  keepHeapSmall();
  for (const name of secretNames) keepSecret(process.env[name]);
  process.on('uncaughtException', (thrown) => process.exit(report(thrown)));
  try {
    await commands(words).parseAsync();
  } catch (thrown) {
    process.exitCode = report(thrown);
  }
}

const commandList = [
  onDemand('run <scenario>', 'Run a scenario and write its result', async () => (await import('./run.ts')).runCommand),
  onDemand(
    'compare [base-results] [head-results]',
    'Is this release slower than the last? A verdict from their results',
    async () => (await import('./compare.ts')).compareCommand,
  ),
  onDemand(
    'ab <scenario>',
    'Run two releases in turn in one sitting, and compare them by pairs',
    async () => (await import('./ab.ts')).abCommand,
  ),
  onDemand(
    'trend [folder]',
    'Find when a metric changed, in the results of many nights',
    async () => (await import('./trend.ts')).trendCommand,
  ),
  onDemand(
    'plan <scenario>',
    'Show what a run would do, without sending anything',
    async () => (await import('./plan.ts')).planCommand,
  ),
  onDemand(
    'check [scenario]',
    'See whether a service keeps the API description, rule by rule, before you load it',
    async () => (await import('./check.ts')).checkCommand,
  ),
  onDemand(
    'probe [scenario]',
    'Find out what the target can answer, what this generator can ask, and which of the two limits',
    async () => (await import('./probe.ts')).probeCommand,
  ),
  onDemand(
    'calibrate',
    'Measure how far this generator reads from the truth, for every later result to state',
    async () => (await import('./calibrate.ts')).calibrateCommand,
  ),
  onDemand('serve', 'Start the reference chat service', async () => (await import('./serve.ts')).serveCommand),
  onDemand(
    'recover <journal>',
    'Build the result of a run that died from its journal',
    async () => (await import('./recover.ts')).recoverCommand,
  ),
];

const commands = (words: readonly string[]) =>
  yargs([...words])
    .scriptName('chat-load')
    .usage('$0 <command>\n\nLoad and soak testing for chat agents behind an HTTP API.')
    .command(commandList)
    .example('$0 run scenarios/smoke.ts', 'Five seconds against the embedded service')
    .example('$0 plan scenarios/peak.ts', 'What a run would do')
    .example('$0 compare results/v1 results/v2', 'Is this release slower than the last?')
    .example('$0 check', 'Does the service keep the API description?')
    .example('$0 probe', 'What the target can answer and this generator can ask')
    .example('$0 trend', 'When a metric changed, in the results of many nights')
    .example('$0 recover results/soak-20260131T220000Z.ndjson', 'The result of a run that died')
    .example('$0 run --help', 'Everything that run takes')
    .demandCommand(1, 'Say what to do.')
    .recommendCommands()
    .strict()
    .version(toolVersion)
    .alias({ help: 'h', version: 'v' })
    .wrap(Math.min(100, process.stdout.columns || 80))
    .epilogue('Exit codes: 0 ok, 1 a verdict failed, 2 usage, 3 environment, 4 invalid, 70 a bug, 130/143 a signal.')
    .exitProcess(false)
    .fail((message: string | null, error: Error | undefined) => {
      throw (
        error ??
        new ChatLoadError('usage', { message: message ?? 'Unusable arguments.', hint: 'See chat-load --help.' })
      );
    });

/** Tells what went wrong and gives the exit code: the user's and the surroundings' faults in words, ours with a stack. */
function report(thrown: unknown): number {
  if (thrown instanceof ChatLoadError) {
    stderr.line(`${stderr.colors.red('error')} ${thrown.message}\n${thrown.hint}`);
    return exitCodes[thrown.code];
  }
  stderr.line(`This is a bug in chat-load ${toolVersion}. Please report it with what follows.`);
  stderr.line(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
  return bugExitCode;
}

await main(hideBin(process.argv));
