import type { ListedCommand } from '../parser/command.ts';
import { beginCommands } from './begin-commands.ts';
import { compareCommands } from './compare-commands.ts';
import { measureCommands } from './measure-commands.ts';
import { otherCommands } from './other-commands.ts';

/** Commands by purpose, in the order in which they are listed. */
export const commandGroups: Readonly<Record<string, readonly ListedCommand[]>> = {
  start: beginCommands,
  measure: measureCommands,
  compare: compareCommands,
  ...otherCommands,
};
