// The generated parts of docs/reference/cli.md and docs/reference/environment.md.
import type { Argv, Options } from 'yargs';
import { commandGroups } from '../src/cli/main.ts';
import type { ListedCommand } from '../src/cli/parser/command.ts';
import { groupBy } from '../src/base/group-by.ts';
import { environmentName } from '../src/plan/overlay.ts';
import { markdownTable } from '../src/report/words/markdown-text.ts';
import { scenarioOptions } from '../src/scenario/scenario-options.ts';

interface Declared {
  name: string;
  row: Options;
  isPositional: boolean;
}

/** Arguments, flags, examples and last paragraph of a command, in the order in which it declares them. */
interface Recorded {
  declared: Declared[];
  examples: string[];
  epilogue: string;
}

/** Builds a command with a recorder instead of the parser. */
async function record(listed: ListedCommand): Promise<Recorded> {
  const recorded: Recorded = { declared: [], examples: [], epilogue: '' };
  const recorder: Readonly<Record<string, (first: string, second: Options & string) => unknown>> = {
    positional: (name, row) => recorded.declared.push({ name, row, isPositional: true }),
    option: (name, row) => recorded.declared.push({ name, row, isPositional: false }),
    describe: (name, describe) =>
      recorded.declared.forEach((each) => each.name === name && (each.row = { ...each.row, describe })),
    example: (line, meaning) => recorded.examples.push(`# ${meaning}`, line.replace('$0', 'chat-load')),
    epilogue: (text) => (recorded.epilogue = text),
  };
  await listed.build(recorder as unknown as Argv);
  return recorded;
}

const overrides = new Map(
  scenarioOptions.flatMap((option) =>
    [option.flag, option.alias?.flag].flatMap((flag) => (flag === undefined ? [] : [[flag, option] as const])),
  ),
);

/** Every command and subcommand, with the words that start it. */
const pages = Object.entries(commandGroups).map(([heading, listed]) => ({
  heading,
  commands: listed.flatMap((each) =>
    (each.parts ?? [each]).map((command) => ({
      command,
      usage: command === each ? each.command : `${each.command.replace(/ .*/, '')} ${command.command}`,
    })),
  ),
}));

/** All commands as Markdown: usage, arguments and flags, exit codes, examples. */
export async function commandPages(): Promise<string> {
  const texts: string[] = [];
  for (const { heading, commands } of pages) {
    texts.push(`## ${heading}`);
    for (const each of commands) texts.push(await pageOf(each));
  }
  return texts.join('\n\n');
}

/** Flags and variables that override the scenario, as a Markdown table. */
export function overrideTable(): string {
  return markdownTable(
    ['flag', 'variable', 'option', 'meaning'].map((head) => ({ head })),
    scenarioOptions.flatMap((option) => {
      const variable = environmentName(option);
      if (variable === undefined) return [];
      const flags = [option.flag, option.alias?.flag].flatMap((flag) => (flag === undefined ? [] : [`\`--${flag}\``]));
      const meaning = (option.flagMeaning ?? option.meaning).replace(/\.$/, '');
      return [[flags.join(', '), `\`${variable}\``, `\`${option.name}\``, cell(meaning)]];
    }),
  );
}

async function pageOf({ command: listed, usage }: (typeof pages)[number]['commands'][number]): Promise<string> {
  const { declared, examples, epilogue } = await record(listed);
  const own = declared.filter((each) => !isOverride(each) && each.name !== 'help-all');
  return [
    `### ${usage.replace(/ [[<].*/, '')}`,
    `\`chat-load ${usage}\``,
    `${listed.describe}.`,
    ...(own.length === 0 ? [] : [flagTable(own)]),
    ...overridesText(declared.filter(isOverride).map(({ name }) => name)),
    ...(epilogue === '' ? [] : [cell(epilogue)]),
    ['```text', ...examples, '```'].join('\n'),
  ].join('\n\n');
}

function overridesText(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const missing = [...overrides.keys()].filter((name) => !names.includes(name));
  const code = (flags: readonly string[]): string => flags.map((flag) => `\`--${flag}\``).join(', ');
  const which =
    missing.length === 0 ? 'all' : missing.length < names.length ? `all except ${code(missing)}` : code(names);
  return [`[Scenario overrides](#scenario-overrides): ${which}.`];
}

const flagTable = (declared: readonly Declared[]): string =>
  markdownTable(
    ['argument', 'takes', 'default', 'variable', 'meaning'].map((head) => ({ head })),
    declared.map((each) => {
      const { name, row, isPositional } = each;
      const variable = variableOf(each);
      return [
        `\`${isPositional ? name : `--${name}`}\`${typeof row.alias === 'string' ? `, \`-${row.alias}\`` : ''}`,
        takesText(row),
        row.demandOption === true ? 'required' : defaultText(row),
        variable === undefined ? '' : `\`${variable}\``,
        cell((row.describe ?? '').replace(/ \[[A-Z_]+\]$/, '')),
      ];
    }),
  );

function takesText({ choices, type, array }: Options): string {
  if (choices !== undefined) return choices.map((choice) => `\`${String(choice)}\``).join(', ');
  return type === 'boolean' ? '' : `${type ?? 'string'}${array === true ? ', several' : ''}`;
}

function defaultText({ default: value, defaultDescription }: Options): string {
  if (defaultDescription !== undefined) return cell(defaultDescription);
  if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) return '';
  return `\`${[value].flat().join(' ').replaceAll('|', '\\|')}\``;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

/** Variables of single commands, as a Markdown table. */
export async function variableTable(): Promise<string> {
  const users: (readonly [variable: string, user: string])[] = [];
  for (const { command, usage } of pages.flatMap(({ commands }) => commands))
    for (const each of (await record(command)).declared) {
      const variable = isOverride(each) ? undefined : variableOf(each);
      const argument = each.isPositional ? each.name.toUpperCase() : `--${each.name}`;
      if (variable !== undefined) users.push([variable, `\`${usage.replace(/ .*/, '')} ${argument}\``]);
    }
  return markdownTable(
    ['variable', 'sets'].map((head) => ({ head })),
    [...groupBy(users, ([variable]) => variable)].map(([variable, own]) => [
      `\`${variable}\``,
      own.map(([, user]) => user).join(', '),
    ]),
  );
}

/** Returns the environment variable of an argument, which its description ends with. */
const variableOf = ({ row }: Declared): string | undefined => / \[([A-Z_]+)\]$/.exec(row.describe ?? '')?.[1];

/** Reports whether a flag overrides the scenario, rather than being the command's own flag of that name. */
const isOverride = (each: Declared): boolean =>
  overrides.has(each.name) && variableOf(each)?.startsWith('CHAT_LOAD_') === true;
