#!/usr/bin/env node
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import yargs, { type Argv } from 'yargs';
import { hideBin } from 'yargs/helpers';
import { ChatLoadError } from '../base/errors.ts';
import { keepHeapSmall } from '../edge/health/keep-heap-small.ts';
import { signalExitCodes } from '../result/exit-code.ts';
import { unknownName } from '../base/unknown-name.ts';
import { commandGroups } from './commands/command-groups.ts';
import { reportError, usageExitCode } from './console/report-error.ts';
import { secretsGiven, keepSecret, stderr } from './console/terminal.ts';
import { endRunWith, exitOfScenario, judgeStray } from './console/stray-code.ts';
import { type ListedCommand, asksForCompletion, complete } from './parser/command.ts';
import { hideRareFlags, problemOfWords } from './parser/read-words.ts';
import { toolVersion } from '../edge/tool-version.ts';

/** Performs a command in this process; what it ends with is in `process.exitCode`. */
export async function main(words: readonly string[]): Promise<void> {
  for (const secret of secretsGiven(words, process.env)) keepSecret(secret);
  try {
    if (asksForCompletion(words)) await complete(words, commandList);
    else if (words.length === 0) process.exitCode = listCommands();
    else await commandsHere(withHelpLast(words)).parseAsync();
  } catch (thrown) {
    // Errors of the argument parser are usage errors.
    const isParsers = thrown instanceof Error && thrown.name === 'YError';
    process.exitCode = reportError(isParsers ? misused(words, thrown.message) : thrown);
  }
}

/** The parser reads the working folder. */
function commandsHere(words: readonly string[]): Argv {
  try {
    process.cwd();
  } catch (cause) {
    throw new ChatLoadError('environment', {
      message: 'The working folder does not exist any more.',
      hint: 'Change to a folder that exists, and start the command again.',
      cause,
    });
  }
  return commands(words);
}

const commandList = Object.values(commandGroups).flat();

/** What each command takes, by its name: `<scenario>` of run. */
const usages = new Map(
  commandList.map(({ command }) => {
    const [name = '', ...takes] = command.split(' ');
    return [name, takes] as const;
  }),
);

/** Flags are taken literally: a dot in a name, or no- before it, has no special meaning. */
const plainFlags = { 'dot-notation': false, 'boolean-negation': false };

function commands(words: readonly string[]) {
  const parser = yargs([...words]);
  parser.example = copyable(parser);
  return parser
    .scriptName('chat-load')
    .usage('$0 <command>\n\nLoad and soak testing for chat agents behind an HTTP API.')
    .command(asksForShortPage(words) ? commandList.map(withShortPage) : commandList)
    .example('$0 init --example smoke', 'Write scenarios/smoke.ts to start from')
    .example('$0 run scenarios/smoke.ts', 'Five seconds against the embedded service')
    .example('$0 plan scenarios/peak.ts', 'What a run would do')
    .example('$0 compare results/v1 results/v2', 'Is this release slower than the last?')
    .example('$0 try scenarios/agent.ts', 'Can this service be loaded?')
    .example('$0 check', 'Does the service keep the API description?')
    .example('$0 probe', 'What the target can answer and this generator can send')
    .example("$0 capacity peak.ts --objective 'turn.p95 < 2s'", 'How much it can take')
    .example('$0 trend', 'When a metric changed, in the results of many nights')
    .example('$0 ui', 'Browse the results in results/')
    .example('$0 recover results/soak-20260131T220000Z.ndjson', 'The result of a run that died')
    .example('$0 run --help', 'All options of run')
    .demandCommand(1, 'Specify a command.')
    .strict()
    .version(toolVersion)
    .alias({ help: 'h', version: 'v' })
    .detectLocale(false)
    .parserConfiguration(plainFlags)
    .middleware(() => {
      const problem = problemOfWords(words, parser);
      if (problem !== undefined) throw misused(words, problem);
      // The parser lays out the help page of every command that it performs, for nobody: without lines to break, in half the time.
      parser.wrap(null);
    }, true)
    .wrap(Math.min(100, process.stdout.columns || 80))
    .epilogue(
      'Exit codes: 0 ok, 1 a verdict failed, 2 usage or scenario error, 3 environment, 4 invalid, 70 a bug, 129/130/143 a signal.',
    )
    .exitProcess(false)
    .fail((message: string | null, error: Error | undefined) => {
      throw error ?? misused(words, problemOfWords(words, parser) ?? message ?? 'Unusable arguments.');
    });
}

/** Puts a command and its meaning on separate lines: the parser would put them side by side, and break both. */
function copyable(parser: Argv): Argv['example'] {
  const example = parser.example.bind(parser);
  return (command: string | readonly [string, string?][], meaning?: string | boolean) =>
    typeof command === 'string' ? example(`# ${String(meaning)}\n${command}`, '') : example(command);
}

/** Lists the commands for whoever gave none, which is a usage error. */
function listCommands(): number {
  stderr.note('chat-load COMMAND: load and soak testing for chat agents behind an HTTP API.');
  for (const [group, listed] of Object.entries(commandGroups))
    for (const [index, { command, describe }] of listed.entries())
      stderr.note(`${(index === 0 ? group : '').padEnd(10)}${command.replace(/ .*/, '').padEnd(12)}${describe}`);
  stderr.note('See chat-load --help.');
  return usageExitCode;
}

/** Whether the page of a command is asked for without its rare flags. Completion knows them all. */
const asksForShortPage = (words: readonly string[]): boolean =>
  !words.includes('--help-all') && words.some((word) => ['--help', '-h'].includes(word));

/** Of `run`, which has the most flags, those alone that are used most. */
const withShortPage = (listed: ListedCommand): ListedCommand => ({
  ...listed,
  builder: async (yargs) => {
    const built = await listed.build(yargs);
    hideRareFlags(built, listed.command.startsWith('run '));
    return built;
  },
});

/** `help run` as `run --help`. Unknown commands have no help. */
function withHelpLast(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  const isAll = words.includes('--help-all');
  const sorted = first === 'help' ? [...rest, '--help'] : isAll ? [...words, '--help'] : words;
  const asksForHelp = sorted.some((word) => ['--help', '-h', 'help'].includes(word));
  if (asksForHelp && unknownCommand(sorted) !== undefined) throw misused(sorted, '');
  return sorted;
}

/** A usage error: what is wrong with a command line, and the help page to read. */
function misused(words: readonly string[], problem: string): ChatLoadError {
  const name = words.find((word) => usages.has(word));
  const message =
    unknownCommand(words) ?? (name === undefined ? undefined : lackOf(name, problem)) ?? inOurWords(problem);
  return new ChatLoadError('usage', { message, hint: `See chat-load ${name === undefined ? '' : `${name} `}--help.` });
}

/** The parser only counts missing arguments; this names the first one. */
function lackOf(name: string, problem: string): string | undefined {
  const [missing] = usages.get(name) ?? [];
  if (missing === undefined || !problem.startsWith('Not enough non-option arguments')) return undefined;
  const example = missing.startsWith('<scenario') ? `: chat-load ${name} scenarios/smoke.ts` : '.';
  return `chat-load ${name} takes ${missing}, which is missing${example}`;
}

/** A problem that only the parser finds. */
const inOurWords = (problem: string): string =>
  problem
    .replace(
      /^Missing required arguments?: (.+)$/,
      (_, names: string) => `missing: --${names.replaceAll(', ', ', --')}.`,
    )
    .replace(/^Unknown arguments?: (.+)$/, "unknown argument '$1'.")
    .replace(
      /^Invalid values:\s+Argument: (\S+), Given: "(.*)", Choices: (.+)$/s,
      (_, name: string, given: string, choices: string) =>
        unknownName(name, given, JSON.parse(`[${choices}]`) as string[]),
    );

function unknownCommand([first]: readonly string[]): string | undefined {
  if (first === undefined || first.startsWith('-') || usages.has(first)) return undefined;
  if (first === 'version') return `unknown command 'version': --version shows the version.`;
  return unknownName('command', first, [...usages.keys()]);
}

/** Whether this file was started, by its own path or by a link to it. */
const isStarted = (): boolean => {
  const [, started] = process.argv;
  return started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url);
};

if (isStarted()) {
  keepHeapSmall();
  process.on('uncaughtException', (thrown) => {
    const judged = judgeStray(thrown);
    if (!endRunWith(judged)) process.exit(reportError(judged));
  });
  process.on('exit', () => {
    const exit = exitOfScenario();
    if (exit !== undefined) process.exitCode = reportError(exit);
    // Node.js aborts when it cannot restore a terminal; ending by the signal gives the same exit code.
    if (process.exitCode === signalExitCodes.SIGHUP && process.stderr.isTTY)
      process.removeAllListeners('SIGHUP').kill(process.pid, 'SIGHUP');
  });
  await main(hideBin(process.argv));
}
