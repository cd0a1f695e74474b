import type { Argv } from 'yargs';

/** The group of the flags that `--help` shows first. */
export const mostUsed = 'Most used:';
/** The group of those that override the scenario. */
export const overrides = 'Scenario overrides:';

/** The parts of the parser that its types leave out. */
interface Parser {
  getOptions(): { key: Readonly<Record<string, unknown>> };
  getGroups(): Readonly<Record<string, readonly string[]>>;
}

/**
 * Hides the flags of a command that few people use: all scenario overrides, or every flag that is not among the most
 * used. A command without overrides keeps its page.
 */
export function hideRareFlags(yargs: Argv, isAll: boolean): void {
  const parser = yargs as unknown as Parser;
  const { [mostUsed]: kept = [], [overrides]: rare = [], 'Positionals:': positional = [] } = parser.getGroups();
  if (rare.length === 0) return;
  const always = [...kept, ...positional, 'help', 'help-all', 'version'];
  const hidden = isAll ? Object.keys(parser.getOptions().key).filter((name) => !always.includes(name)) : rare;
  for (const name of hidden) yargs.hide(name);
}
