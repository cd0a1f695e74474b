import { Contributions } from './contributions.ts';

/** Purpose that a hint of the core may refer to, if a feature has a command for it. */
type Purpose = 'highest_load';

export type CommandsFor = Readonly<Partial<Record<Purpose, string>>>;

/** Commands of features by purpose, such as `chat-load NAME`. */
export const purposeCommands = new Contributions<CommandsFor>();

/** Returns a part of a hint that names the command for a purpose; '' if no feature has one. */
export function advise(purpose: Purpose, textOf: (command: string) => string): string {
  const [command] = purposeCommands.all.flatMap((commands) => commands[purpose] ?? []);
  return command === undefined ? '' : textOf(command);
}
