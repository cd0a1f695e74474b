import yargs, { type Argv, type CommandModule, type Options, type PositionalOptions } from 'yargs';
import { withOpenPages } from '../../edge/path-in-package.ts';
import type { ScenarioOption } from '../../scenario/scenario-options.ts';
import type { Given, SetName } from './options.ts';
import { readRows, type Row, type Rows, type ValuesOf } from './rows.ts';

interface Declaration<Positionals extends Rows, Names extends SetName, Own extends Rows> {
  /** Name and arguments, such as `plan [scenario]`. */
  command: string;
  describe: string;
  positionals?: Positionals;
  /** Selects the scenario options that flags can override. Default: none. */
  overrides?: (option: ScenarioOption) => boolean;
  options?: readonly Names[];
  /** Loads further flags, which only this command has. */
  own?: () => Promise<Own>;
  examples: readonly (readonly [line: string, meaning: string])[];
  epilogue?: string | (() => Promise<string>);
  /** Runs the command. Resolves with the exit code (default 0). */
  perform: (
    args: Both<{ [Name in Names]: Given<Name> }[Names]> & ValuesOf<Positionals> & ValuesOf<Own>,
  ) => Promise<number | undefined> | Promise<void>;
}

type Both<Union> = (Union extends unknown ? (each: Union) => void : never) extends (each: infer All) => void
  ? All
  : never;

export interface ListedCommand extends CommandModule {
  command: string;
  describe: string;
  /** Subcommands, of a command that only groups them. */
  parts?: readonly ListedCommand[];
  /** Declares flags, arguments and subcommands; `each` changes the subcommands. */
  build: (yargs: Argv, each?: (part: ListedCommand) => ListedCommand) => Promise<Argv>;
  load: () => Promise<CommandModule>;
}

/** Command of a feature. */
export interface AddedCommand {
  /** Group in the list of commands; commands of features precede those of the core. */
  group: string;
  /** Example on the help page of all commands. */
  example: readonly [line: string, meaning: string];
  command: ListedCommand;
}

/** Type of `command`. */
export type Declare = typeof command;

/** Creates a command whose options and code are loaded on demand: loading all takes longer than many commands run. */
export function command<
  Positionals extends Rows = object & Rows,
  Names extends SetName = never,
  Own extends Rows = object & Rows,
>(declaration: Declaration<Positionals, Names, Own>): ListedCommand {
  const { command: usage, describe, own } = declaration;
  const shared = rowsOf(declaration.options ?? []);
  const rows = async (): Promise<Rows> => ({ ...(await shared()), ...(await own?.()) });
  const build: ListedCommand['build'] = async (yargs) => (await prepare(declaration, await rows()))(yargs);
  const handler: CommandModule['handler'] = async (args) => {
    const perform = declaration.perform as (args: object) => ReturnType<typeof declaration.perform>;
    const code = await perform(readRows(args, await rows()));
    if (code !== undefined) process.exitCode = code;
  };
  return {
    command: usage,
    describe,
    build,
    builder: build,
    handler,
    load: async () => ({ command: usage, describe, builder: await prepare(declaration, await rows()), handler }),
  };
}

/** Creates a command that only groups subcommands, each with its own flags, examples and help page. */
export function commandGroup(
  declaration: Pick<ListedCommand, 'command' | 'describe'> & {
    parts: readonly ListedCommand[];
    examples: Prepared['examples'];
  },
): ListedCommand {
  const { examples, ...listed } = declaration;
  const builderOf = (parts: readonly CommandModule[]) => (yargs: Argv) => {
    for (const [line, meaning] of examples) yargs.example(`$0 ${line}`, meaning);
    const origin = originOf({ examples });
    if (origin !== undefined) yargs.epilogue(origin);
    return yargs
      .command([...parts])
      .demandCommand(1)
      .usage(`$0 ${listed.command}\n\n${listed.describe}`);
  };
  const build: ListedCommand['build'] = (yargs, each = (part) => part) =>
    Promise.resolve(builderOf(listed.parts.map(each))(yargs));
  const handler = (): void => undefined;
  const load = async (): Promise<CommandModule> => ({
    command: listed.command,
    describe: listed.describe,
    builder: builderOf(await Promise.all(listed.parts.map((part) => part.load()))),
    handler,
  });
  return { ...listed, build, builder: (yargs) => build(yargs), handler, load };
}

const rowsOf = (names: readonly SetName[]) => async (): Promise<Rows> => {
  if (names.length === 0) return {};
  const { optionSets } = await import('./options.ts');
  return Object.assign({}, ...names.map((name) => optionSets[name])) as Rows;
};

type Prepared = Pick<Declaration<Rows, never, Rows>, 'positionals' | 'overrides' | 'examples' | 'epilogue'>;

async function prepare({ overrides, examples, ...rest }: Prepared, rows: Rows): Promise<(yargs: Argv) => Argv> {
  const { takeOverrides } = overrides === undefined ? {} : await import('./override-flags.ts');
  const epilogue = typeof rest.epilogue === 'function' ? await rest.epilogue() : rest.epilogue;
  return (yargs) => {
    for (const [name, row] of Object.entries(rest.positionals ?? {}))
      yargs.positional(name, shownRow(row) as PositionalOptions);
    // Help pages list groups in the order of their first flags.
    const isRequired = ([, row]: [string, Rows[string]]): boolean => row.demandOption === true;
    for (const [name, row] of Object.entries(rows).filter(isRequired))
      yargs.option(name, { ...shownRow(row), group: 'Required:' });
    if (overrides !== undefined) takeOverrides?.(yargs, overrides);
    for (const [name, row] of Object.entries(rows).filter((each) => !isRequired(each))) {
      if (Object.keys(row).join() === 'describe') yargs.describe(name, row.describe ?? '');
      else yargs.option(name, shownRow(row));
    }
    for (const [line, meaning] of examples) yargs.example(`$0 ${line}`, meaning);
    const texts = [originOf({ examples, ...rest }), epilogue].filter((each) => each !== undefined);
    return texts.length === 0 ? yargs : yargs.epilogue(withOpenPages(texts.join('\n\n')));
  };
}

/** Names the command that writes the shipped scenarios of the examples, or of a default; a project has none before. */
function originOf({ examples, positionals = {} }: Pick<Prepared, 'examples' | 'positionals'>): string | undefined {
  const defaults = Object.values(positionals).map((row): unknown => row.default);
  const named = [...defaults, ...examples.map(([line]) => line)].flatMap((line) =>
    typeof line === 'string' ? [...line.matchAll(/\bscenarios\/([\w-]+)\.ts\b/g)].map(([, name = '']) => name) : [],
  );
  const [first] = named.filter((name) => name !== 'agent');
  return first === undefined
    ? undefined
    : `chat-load init --example ${first} writes scenarios/${first}.ts, and likewise the others.`;
}

/** Describes a row with its environment variable, which, if set, is its default. */
function shownRow({ environment, ...row }: Row<unknown>): Options {
  const describe = withOpenPages(row.describe ?? '');
  if (environment === undefined) return { ...row, describe };
  const given = process.env[environment] ?? '';
  const shown = { ...row, describe: `${describe} [${environment}]` };
  return given === '' ? shown : { ...shown, default: row.type === 'number' ? Number(given) : given };
}

/** Reports whether a shell requests completions, through the script of `chat-load completion`. */
export function isCompletionRequest([first]: readonly string[]): boolean {
  return first === '--get-yargs-completions';
}

/**
 * Prints the completions of the last word of a command line, one per line. Its command is loaded before, because the
 * parser does not wait for flags here.
 */
export async function complete(words: readonly string[], commandList: readonly ListedCommand[]): Promise<void> {
  const isNamed = ({ command }: ListedCommand): boolean => words.includes(command.split(' ')[0] ?? command);
  const ready: CommandModule[] = [];
  for (const each of commandList) ready.push(isNamed(each) ? await each.load() : each);
  await yargs([...words])
    .scriptName('chat-load')
    .command(ready)
    .completion('completion', false)
    .parserConfiguration({ 'boolean-negation': false })
    .exitProcess(false)
    .parseAsync();
}

export function printScript(shell: string): void {
  // The library reads the environment.
  process.env['SHELL'] = `/bin/${shell}`;
  yargs().scriptName('chat-load').completion('completion', false).showCompletionScript();
}
