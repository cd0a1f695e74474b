#!/usr/bin/env node
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import yargs, { type Argv, type CommandModule } from 'yargs';
import { hideBin } from 'yargs/helpers';
import { features } from '../features.ts';
import { type ChatLoadError, environmentError, usageError } from '../base/errors.ts';
import { keepHeapSmall } from '../edge/health/keep-heap-small.ts';
import { signalExitCodes } from '../result/exit-code.ts';
import { unknownName } from '../base/unknown-name.ts';
import { comparedKinds } from '../app/compare/compared-kinds.ts';
import { beginCommands } from './commands/begin-commands.ts';
import { compareCommands } from './commands/compare-commands.ts';
import { moreCommands } from './commands/more-commands.ts';
import { toolCommands } from './commands/tool-commands.ts';
import { reportError, usageExitCode, secretsGiven, keepSecret, isWritten, stderr, stdout } from './console/terminal.ts';
import { endRunWith, exitOfScenario, judgeStray } from './console/stray-code.ts';
import { type ListedCommand, command, isCompletionRequest, complete } from './parser/command.ts';
import { hideAllFlags, hideRareFlags, problemOfWords } from './parser/read-words.ts';
import { toolVersion } from '../edge/tool-version.ts';

/** Runs a command in this process; its exit code is in `process.exitCode`. */
export async function main(words: readonly string[]): Promise<void> {
  for (const secret of secretsGiven(words, process.env)) keepSecret(secret);
  try {
    if (isCompletionRequest(words)) await complete(words, commandList);
    else if (words.length === 0) process.exitCode = listCommands();
    else {
      const sorted = withHelpFlag(words);
      await commandsHere(sorted).parseAsync(sorted, {}, (_error, _args, page) => {
        if (page !== '') stdout.line(spaced(page));
      });
    }
  } catch (thrown) {
    // Errors of the argument parser are usage errors.
    const isParsers = thrown instanceof Error && thrown.name === 'YError';
    process.exitCode = reportError(isParsers ? misused(words, thrown.message) : thrown);
  }
}

/** Moves a type that touches its description to the next line of a page, still aligned with the right margin. */
const spaced = (page: string): string =>
  page.replaceAll(
    /^(.*[^\s([])(\[(?:array|boolean|choices:|number|string)\b.*)$/gm,
    (line: string, description: string, type: string) => `${description}\n${type.padStart(line.length)}`,
  );

/** Builds the parser, which needs a working folder. Throws an environment error if it was deleted. */
function commandsHere(words: readonly string[]): Argv {
  try {
    process.cwd();
  } catch (cause) {
    throw environmentError(
      'The working folder no longer exists.',
      'Change to an existing folder and run the command again.',
      cause,
    );
  }
  return commands(words);
}

/** Commands of features. */
const added = features.flatMap(({ commands }) => commands?.(command) ?? []);

/** Commands by purpose, in the order in which they are listed. */
export const commandGroups: Readonly<Record<string, readonly ListedCommand[]>> = Object.fromEntries(
  Object.entries<readonly ListedCommand[]>({
    'Get started': beginCommands,
    Measure: compareCommands(comparedKinds.all),
    Tools: toolCommands,
    More: moreCommands,
  }).map(([group, listed]) => [
    group,
    [...added.flatMap((each) => (each.group === group ? each.command : [])), ...listed],
  ]),
);
const commandList = Object.values(commandGroups).flat();

/** Arguments of each command by its name, such as `<scenario>` for ab. */
const usages = new Map(commandList.flatMap((listed) => usagesOf(listed)));

function usagesOf({ command, parts = [] }: ListedCommand, before = ''): (readonly [string, readonly string[]])[] {
  const [name = '', ...takes] = command.split(' ');
  return [[before + name, takes], ...parts.flatMap((part) => usagesOf(part, `${name} `))];
}

function commands(words: readonly string[]) {
  const parser = yargs([...words]);
  parser.example = copyable(parser);
  return (
    parser
      .scriptName('chat-load')
      .usage(`$0 <command>\n\nLoad and soak testing for chat agents behind an HTTP API.\n\n${listedByPurpose()}`)
      .command(listedFor(words))
      .example('$0 init', 'Write scenarios/agent.ts for your own agent')
      .example('$0 try scenarios/agent.ts', 'Hold one conversation with it')
      .example('$0 plan scenarios/agent.ts', 'Show what a run would do')
      .example('$0 run scenarios/agent.ts', 'Run the scenario')
      .example('$0 init --example peak', 'Write scenarios/peak.ts, an example that needs no service')
      .example('$0 run scenarios/peak.ts', 'Run it against the embedded service')
      .example(added.map(({ example: [line, meaning] }): [string, string] => [`$0 ${line}`, meaning]))
      .example('$0 compare results/v1 results/v2', 'Compare two releases')
      .example('$0 run --help', 'Show the most used options of run')
      .demandCommand(1, 'missing argument: <command>')
      .strict()
      .version(toolVersion)
      .alias({ help: 'h', version: 'v' })
      .detectLocale(false)
      // A dot or a leading `no-` in the name of a flag has no special meaning.
      .parserConfiguration({ 'dot-notation': false, 'boolean-negation': false })
      .middleware(() => {
        const problem = problemOfWords(words, parser);
        if (problem !== undefined) throw misused(words, problem);
        hideAllFlags(parser.wrap(null));
      }, true)
      .wrap(Math.min(100, process.stdout.columns || 80))
      .epilogue(
        'Exit codes: 0 ok; 1 a verdict failed; 2 usage or scenario error; 3 environment (target, key, file, port); 4 invalid, or not comparable; 70 a bug; 129, 130, 143 a signal.',
      )
      .exitProcess(false)
      .fail((message: string | null, error: Error | undefined) => {
        throw error ?? misused(words, problemOfWords(words, parser) ?? message ?? 'Unusable arguments.');
      })
  );
}

/** Returns the commands as the parser shows them: the page of all commands has its own list. */
function listedFor(words: readonly string[]): CommandModule[] {
  const listed = wantsShortHelp(words) ? commandList.map(withShortHelp) : commandList;
  const isPageOfAll = !words.some((word) => usages.has(word));
  return isPageOfAll ? listed.map((each) => ({ ...each, describe: false })) : listed;
}

/** Prints the meaning of an example above its command; the parser would print both in columns and wrap them. */
function copyable(parser: Argv): Argv['example'] {
  const example = parser.example.bind(parser);
  return (command: string | readonly [string, string?][], meaning?: string | boolean) =>
    typeof command === 'string' ? example(`# ${String(meaning)}\n${command}`, '') : example(command);
}

/** Lists the commands if the command is missing, which is a usage error. */
function listCommands(): number {
  stderr.note('chat-load COMMAND: load and soak testing for chat agents behind an HTTP API.');
  for (const [group, listed] of Object.entries(commandGroups))
    for (const [index, each] of listed.entries())
      stderr.note(`${(index === 0 ? group : '').padEnd(12)}${lineOf(each)}`);
  stderr.note('See chat-load --help.');
  return usageExitCode;
}

/** Lists the commands below headings; the parser strips indents. */
const listedByPurpose = (): string =>
  Object.entries(commandGroups)
    .map(([group, listed]) => [`${group}:`, ...listed.map(lineOf)].join('\n'))
    .join('\n\n');

const lineOf = (listed: ListedCommand): string => `${nameOf(listed).padEnd(11)}${listed.describe}`;

/** Reports whether a help page without rare flags is requested. Completion offers all flags. */
const wantsShortHelp = (words: readonly string[]): boolean =>
  !words.includes('--help-all') && words.some((word) => ['--help', '-h'].includes(word));

/** Hides the rare flags on a help page; `run`, which has the most flags, shows only the most used ones. */
const withShortHelp = (listed: ListedCommand): ListedCommand => ({
  ...listed,
  builder: async (yargs) => {
    const built = await listed.build(yargs, withShortHelp);
    hideRareFlags(built, listed.command.startsWith('run '));
    return built;
  },
});

/** Rewrites `help run` to `run --help`. Throws a usage error for an unknown command. */
function withHelpFlag(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  const isAll = words.includes('--help-all');
  const sorted = first === 'help' ? [...rest, '--help'] : isAll ? [...words, '--help'] : words;
  const asksForHelp = sorted.some((word) => ['--help', '-h', 'help'].includes(word));
  if (asksForHelp && unknownCommand(sorted) !== undefined) throw misused(sorted, '');
  return sorted;
}

/** Returns the usage error of a command line; its hint names the help page. */
function misused(words: readonly string[], problem: string): ChatLoadError {
  const first = words.find((word) => usages.has(word)) ?? '';
  const part = `${first} ${words[words.indexOf(first) + 1] ?? ''}`;
  const name = usages.has(part) ? part : first;
  // The parser only counts missing arguments.
  const [missing] = problem.startsWith('Not enough non-option arguments') ? (usages.get(name) ?? []) : [];
  const lack = missing === undefined ? undefined : `missing argument: ${missing}`;
  if (/^Unknown argument/.test(problem) && words.some((word) => word === '--from-curl'))
    return usageError(
      'the curl command after --from-curl is split into several arguments, because its own quotes end it.',
      "Give it by standard input: chat-load init --from-curl - <<'END', then the command, then END on a line of its own.",
    );
  if (/^Unknown argument/.test(problem) && first === 'compare')
    return usageError(
      'compare takes one place for each side.',
      'Name several results of a side by --base and --head: chat-load compare --base a1.json a2.json --head b1.json b2.json. An unquoted pattern becomes such a list: quote it.',
    );
  const message = unknownCommand(words) ?? lack ?? reworded(problem);
  const example = lack?.includes('<scenario') === true ? `For example: ${exampleOf(name)}\n` : '';
  const flags = message.startsWith(missingOption) ? message.slice(missingOption.length).split(', ') : [];
  const usage = ['chat-load', name, ...(usages.get(name) ?? []), ...flags.map((flag) => `${flag} ...`)].join(' ');
  const required = flags.length === 0 ? '' : `Usage: ${usage}\n`;
  return usageError(message, `${example}${required}See chat-load ${name}${name && ' '}--help.`);
}

/** Returns a command that works in an empty folder. */
const exampleOf = (name: string): string => `chat-load init --example smoke && chat-load ${name} scenarios/smoke.ts`;

const missingOption = 'missing option: ';

const reworded = (problem: string): string =>
  problem
    .replace(
      /^Missing required arguments?: (.+)$/,
      (_, names: string) => `${missingOption}--${names.replaceAll(', ', ', --')}`,
    )
    .replace(/^Missing dependent arguments:\s+(\S+) -> (\S+)[^]*$/, '--$1 requires --$2')
    .replace(/^Unknown arguments?: (.+)$/, "unknown argument '$1'")
    .replace(
      /^Invalid values:\s+Argument: (\S+), Given: "(.*)", Choices: (.+)$/s,
      (_, name: string, given: string, choices: string) =>
        unknownName(name, given, JSON.parse(`[${choices}]`) as string[]),
    );

/** Remedies for commands that do not exist. */
const insteadOf: Readonly<Record<string, string>> = {
  version: '--version shows the version.',
  probe: 'chat-load calibrate measures what this machine can send, and a target can take.',
};

function unknownCommand([first, second]: readonly string[]): string | undefined {
  if (first === undefined || first.startsWith('-')) return undefined;
  const instead = insteadOf[first];
  if (instead !== undefined) return `unknown command '${first}': ${instead}`;
  const named = commandList.find((each) => nameOf(each) === first);
  if (named === undefined) return unknownName('command', first, commandList.map(nameOf));
  const parts = named.parts?.map(nameOf) ?? [];
  const isComplete = parts.length === 0 || second === undefined || second.startsWith('-') || second === 'help';
  return isComplete || parts.includes(second) ? undefined : unknownName('subcommand', second, parts);
}

const nameOf = ({ command }: ListedCommand): string => command.replace(/ .*/, '');

/** Time after which a finished command ends with open connections, in milliseconds. */
const openLimitMs = 3000;

/** Reports whether this file is the main module, started by its own path or by a link. */
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
    // Node.js aborts when it cannot restore a terminal; ending by the signal has the same exit code.
    if (process.exitCode === signalExitCodes.SIGHUP && process.stderr.isTTY)
      process.removeAllListeners('SIGHUP').kill(process.pid, 'SIGHUP');
  });
  await main(hideBin(process.argv));
  // A connection that a library leaves open, such as that of a collector that never ends its response, keeps no command alive.
  setInterval(() => {
    if (isWritten()) process.exit();
  }, openLimitMs).unref();
}
