import { parseArgs } from 'node:util';
import type { Argv } from 'yargs';
import { nearestName, unknownName } from '../../base/unknown-name.ts';

interface Declared {
  /** Flags, short forms and positional arguments. */
  key: Readonly<Record<string, unknown>>;
  alias: Readonly<Record<string, readonly string[]>>;
  boolean: readonly string[];
  number: readonly string[];
  array: readonly string[];
  string: readonly string[];
  /** Number of values of a flag, if declared. */
  narg: Readonly<Record<string, number>>;
  choices: Readonly<Record<string, readonly string[]>>;
}

interface Parser {
  getOptions(): Declared;
  getGroups(): Readonly<Record<string, readonly string[]>>;
}

/**
 * Checks a command line against the flags that its command declares, so that no command receives a list, NaN, `true` or
 * an empty text in place of a value. Returns the first problem, if any.
 */
export function problemOfWords(words: readonly string[], parser: Argv): string | undefined {
  const declaring = parser as unknown as Parser;
  const declared = declaring.getOptions();
  const positional = declaring.getGroups()['Positionals:'] ?? [];
  const names = Object.keys(declared.key).filter((name) => name.length > 1 && !positional.includes(name));
  const flags = { ...declared, names };
  const given = new Set<string>();
  for (const token of tokensOf(words, flags)) {
    const problem = problemOf(token, flags, given);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

interface Flags extends Declared {
  /** Long names, without dashes. */
  names: readonly string[];
}

/** Splits words into tokens; aliases of one letter are short forms of their name. */
function tokensOf(given: readonly string[], flags: Flags) {
  const { names, alias, boolean } = flags;
  const words = given.filter((word, at) => !isBare(word, given[at + 1], flags));

  const options = names.map((name) => {
    const short = alias[name]?.find((each) => each.length === 1);
    const type = boolean.includes(name) ? ('boolean' as const) : ('string' as const);
    return [name, { type, multiple: true, ...(short !== undefined && { short }) }] as const;
  });
  return parseArgs({
    args: words,
    options: Object.fromEntries(options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  }).tokens;
}

/** Reports whether a word is a flag without its optional value. */
function isBare(word: string, next: string | undefined, { names, string, narg }: Flags): boolean {
  const name = word.slice(2);
  const mayBeBare = word.startsWith('--') && names.includes(name) && string.includes(name) && !(name in narg);
  return mayBeBare && (next === undefined || next.startsWith('-'));
}

type Token = ReturnType<typeof tokensOf>[number];

/** Returns the problem of a token, if any; `given` contains the preceding flags. */
function problemOf(token: Token, flags: Flags, given: Set<string>): string | undefined {
  if (token.kind === 'option-terminator') return 'Arguments after -- are not supported.';
  if (token.kind === 'positional')
    return isBlank(token.value) ? 'An argument is empty. Is a variable unset?' : undefined;
  const { name } = token;
  if (!flags.names.includes(name)) return unknownFlag(token.rawName, flags);
  if (given.has(name) && !flags.array.includes(name)) return `--${name} is set twice but takes one value.`;
  given.add(name);
  const problem = flags.boolean.includes(name) ? problemOfSwitch(token.value) : problemOfValue(token, flags);
  return problem === undefined ? undefined : `--${name}${problem}`;
}

const writesOne = 'chat-load init --url URL writes one';

/** Flags of other tools with a remedy, which applies if the command has `flag`. */
const foreignFlags: Readonly<Record<string, { flag?: string; remedy: string }>> = {
  ...named(['users', 'vus', 'connections', 'max-workers', 'u', 'c'], {
    flag: 'concurrency',
    remedy: '--concurrency sets the number of concurrent sessions',
  }),
  ...named(['rps', 'qps', 'request-rate', 'arrival-rate', 'arrivalRate', 'r'], {
    flag: 'rate',
    remedy: '--rate sets the new sessions per second',
  }),
  ...named(['iterations'], { flag: 'sessions', remedy: '--sessions sets their number' }),
  ...named(['num-prompts', 'requests', 'n'], {
    flag: 'sessions',
    remedy: 'a session has several turns; --max-turns limits the turns, --sessions the sessions',
  }),
  ...named(['d'], { flag: 'duration', remedy: '--duration sets the period in which new sessions start' }),
  ...named(['t'], {
    flag: 'duration',
    remedy: '--duration sets the length of the run, --cores the generator processes',
  }),
  ...named(['threads'], { flag: 'cores', remedy: '--cores sets the number of generator processes' }),
  ...named(['host', 'endpoint', 'target'], { flag: 'url', remedy: '--url names the service' }),
  ...named(['url', 'base-url'], { flag: 'head', remedy: '--base and --head name the two releases' }),
  ...named(['html', 'markdown', 'junit', 'csv', 'reporter'], {
    flag: 'report',
    remedy: '--report FILE writes a report; the extension of FILE selects the format',
  }),
  ...named(['output'], { flag: 'out', remedy: '--out sets the folder of results, --report FILE writes a report' }),
  ...named(['prompt'], { flag: 'concurrency', remedy: `set messages in the scenario (${writesOne})` }),
  ...named(['max-tokens'], { flag: 'output-tokens', remedy: '--output-tokens limits a reply without a scenario file' }),
  ...named(['turns'], { flag: 'concurrency', remedy: `set turns in the scenario (${writesOne})` }),
  ...named(['think-time'], { flag: 'concurrency', remedy: `set thinkTime in the scenario (${writesOne})` }),
  ...named(['to', 'redact', 'dedupe', 'language', 'min-turns', 'max-turns', 'sample', 'seed'], {
    flag: 'from',
    remedy: 'it is a flag of dataset convert',
  }),
  ...named(['json'], { flag: 'redact', remedy: 'it is a flag of dataset inspect' }),
  ...named(['api-key'], { remedy: 'set CHAT_LOAD_API_KEY in the environment; a key is never a flag' }),
};

function named<Remedy>(names: readonly string[], remedy: Remedy): Record<string, Remedy> {
  return Object.fromEntries(names.map((name) => [name, remedy]));
}

function unknownFlag(given: string, { names, boolean }: Flags): string {
  const positive = given.replace(/^--no-/, '');
  if (positive !== given && boolean.includes(positive)) return `${given}: write --${positive}=false.`;
  const name = given.replace(/^--?/, '');
  const foreign = Object.hasOwn(foreignFlags, name) ? foreignFlags[name] : undefined;
  if (foreign !== undefined && (foreign.flag === undefined || names.includes(foreign.flag)))
    return `unknown flag '${given}': ${foreign.remedy}.`;
  // Dashes are not compared: they would make any two short names similar.
  const nearest = nearestName(name, names);
  return `unknown flag '${given}'${nearest === undefined ? '.' : `: did you mean '--${nearest}'?`}`;
}

const problemOfSwitch = (value: string | undefined): string | undefined =>
  value === undefined || value === 'true' || value === 'false' ? undefined : ` takes true or false, not '${value}'.`;

function problemOfValue(
  { name, value, inlineValue }: Extract<Token, { kind: 'option' }>,
  { number, choices }: Flags,
): string | undefined {
  if (value === undefined) return ' takes a value.';
  if (!inlineValue && /^-(?![\d.]|$)/.test(value))
    return ` takes a value; write --${name}=VALUE if it starts with a dash.`;
  if (isBlank(value)) return ' is empty. Is a variable unset?';
  if (number.includes(name) && !Number.isFinite(Number(value))) return ` takes a number, not '${value}'.`;
  const known = choices[name];
  return known === undefined || known.includes(value) ? undefined : `: ${unknownName('value', value, known)}`;
}

const isBlank = (text: string): boolean => text.trim() === '';

/** Group of the flags that `--help` shows first. */
export const mostUsed = 'Most used:';
/** Group of the flags that override the scenario. */
export const overrides = 'Scenario overrides:';

/**
 * Hides rare flags of a command: all scenario overrides or, with `isAll`, every flag that is not among the most used.
 * Commands without overrides keep all flags.
 */
export function hideRareFlags(yargs: Argv, isAll: boolean): void {
  const parser = yargs as unknown as Parser;
  const { [mostUsed]: kept = [], [overrides]: rare = [], 'Positionals:': positional = [] } = parser.getGroups();
  if (rare.length === 0) return;
  const always = [...kept, ...positional, 'help', 'help-all', 'version'];
  const hidden = isAll ? Object.keys(parser.getOptions().key).filter((name) => !always.includes(name)) : rare;
  for (const name of hidden) yargs.hide(name);
}

/** Empties the help page: the parser lays it out for every command that it runs, which takes a tenth of a second. */
export function hideAllFlags(yargs: Argv): void {
  for (const name of Object.keys((yargs as unknown as Parser).getOptions().key)) yargs.hide(name);
}
