import yargs, { type CommandModule } from 'yargs';
import type { ListedCommand } from './command.ts';

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
