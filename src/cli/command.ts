import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';

/** What a command takes and does. Its name and description are in main.ts, with the others. */
export interface Command<Arguments> {
  builder: (yargs: Argv) => Argv<Arguments>;
  handler: (args: ArgumentsCamelCase<Arguments>) => void | Promise<void>;
}

/** A command as the parser of arguments takes it. */
export interface ListedCommand extends CommandModule {
  command: string;
  describe: string;
  build: (yargs: Argv) => Promise<Argv>;
  /** The same with its module loaded. */
  load: () => Promise<CommandModule>;
}

/** A command whose module is loaded when it is asked for: loading all takes longer than many commands. */
export function onDemand<Arguments>(
  command: string,
  describe: string,
  load: () => Promise<Command<Arguments>>,
): ListedCommand {
  const build = async (yargs: Argv): Promise<Argv> => (await load()).builder(yargs);
  return {
    command,
    describe,
    build,
    builder: build,
    handler: async (args) => (await load()).handler(args as ArgumentsCamelCase<Arguments>),
    load: async () => {
      const { builder, handler } = await load();
      return { command, describe, builder, handler: (args) => handler(args as ArgumentsCamelCase<Arguments>) };
    },
  };
}
