import yargs, { type Argv, type CommandModule, type PositionalOptions } from 'yargs';
import type { ScenarioOption } from '../../scenario/scenario-options.ts';
import type { Given, SetName } from './options.ts';
import { readRows, type Row, type Rows, type ValuesOf } from './rows.ts';

/** What a command is: its options are sets of the option table. */
interface Declaration<Positionals extends Rows, Names extends SetName> {
  /** Its name, and what it takes: `plan [scenario]`. */
  command: string;
  describe: string;
  positionals?: Positionals;
  /** The options of a scenario that its flags can override; none without it. */
  overrides?: (option: ScenarioOption) => boolean;
  options?: readonly Names[];
  /** Command lines with their meaning. */
  examples: readonly (readonly [line: string, meaning: string])[];
  epilogue?: string | (() => Promise<string>);
  /** Does it. Resolves with the exit code; without one it is 0. */
  perform: (
    args: Both<{ [Name in Names]: Given<Name> }[Names]> & ValuesOf<Positionals>,
  ) => Promise<number | undefined> | Promise<void>;
}

/** All members of a union together. */
type Both<Union> = (Union extends unknown ? (each: Union) => void : never) extends (each: infer All) => void
  ? All
  : never;

/** A command as the parser of arguments takes it. */
export interface ListedCommand extends CommandModule {
  command: string;
  describe: string;
  build: (yargs: Argv) => Promise<Argv>;
  /** The same with its options loaded. */
  load: () => Promise<CommandModule>;
}

/** A command whose options and code are loaded when it is asked for: loading all takes longer than many commands. */
export function command<Positionals extends Rows = object & Rows, Names extends SetName = never>(
  declaration: Declaration<Positionals, Names>,
): ListedCommand {
  const { command: usage, describe } = declaration;
  const rows = rowsOf(declaration.options ?? []);
  const build = async (yargs: Argv): Promise<Argv> => (await prepare(declaration, await rows()))(yargs);
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

const rowsOf = (names: readonly SetName[]) => async (): Promise<Rows> => {
  if (names.length === 0) return {};
  const { optionSets } = await import('./options.ts');
  return Object.assign({}, ...names.map((name) => optionSets[name])) as Rows;
};

type Prepared = Pick<Declaration<Rows, never>, 'positionals' | 'overrides' | 'examples' | 'epilogue'>;

/** Gives what declares the arguments and flags of a command to the parser. */
async function prepare({ overrides, examples, ...rest }: Prepared, rows: Rows): Promise<(yargs: Argv) => Argv> {
  const { takeOverrides } = overrides === undefined ? {} : await import('./override-flags.ts');
  const epilogue = typeof rest.epilogue === 'function' ? await rest.epilogue() : rest.epilogue;
  return (yargs) => {
    for (const [name, row] of Object.entries(rest.positionals ?? {}))
      yargs.positional(name, withDefault(row) as PositionalOptions);
    if (overrides !== undefined) takeOverrides?.(yargs, overrides);
    for (const [name, row] of Object.entries(rows)) {
      if (Object.keys(row).join() === 'describe') yargs.describe(name, row.describe ?? '');
      else yargs.option(name, withDefault(row));
    }
    for (const [line, meaning] of examples) yargs.example(`$0 ${line}`, meaning);
    return epilogue === undefined ? yargs : yargs.epilogue(epilogue);
  };
}

/** A row with the value of its environment variable, if it is set, as the default. */
function withDefault(row: Row<unknown>): Row<unknown> {
  const { environment } = row;
  const given = environment === undefined ? undefined : process.env[environment];
  if (given === undefined || given === '') return row;
  return { ...row, default: row.type === 'number' ? Number(given) : given };
}

const question = '--get-yargs-completions';

/** Whether it is a shell that asks, by the script of `chat-load completion`. */
export function asksForCompletion([first]: readonly string[]): boolean {
  return first === question;
}

/**
 * Prints what the last word of a command line may become, one a line. The command in it is loaded before, since the
 * parser does not wait for its flags here.
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

/** Prints the script by which a shell completes commands and flags. */
export function printScript(shell: string): Promise<void> {
  // The library reads the environment.
  process.env['SHELL'] = `/bin/${shell}`;
  yargs().scriptName('chat-load').completion('completion', false).showCompletionScript();
  return Promise.resolve();
}
