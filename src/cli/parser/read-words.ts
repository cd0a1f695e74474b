import { parseArgs } from 'node:util';
import type { Argv } from 'yargs';
import { nearestName, unknownName } from '../../base/unknown-name.ts';

/** What the parser of arguments knows of a command. */
interface Declared {
  /** Its flags, short forms and positional arguments. */
  key: Readonly<Record<string, unknown>>;
  alias: Readonly<Record<string, readonly string[]>>;
  boolean: readonly string[];
  number: readonly string[];
  array: readonly string[];
  string: readonly string[];
  /** How many values a flag takes, where that was said. */
  narg: Readonly<Record<string, number>>;
  choices: Readonly<Record<string, readonly string[]>>;
}

/** The part of the parser that its types leave out. */
interface Parser {
  getOptions(): Declared;
  getGroups(): Readonly<Record<string, readonly string[]>>;
}

/**
 * Checks every word of a command line against the flags that its command has declared, so that no command gets a list,
 * NaN, `true` or an empty text in place of a value. Gives the first problem, `undefined` where there is none.
 */
export function problemOfWords(words: readonly string[], parser: Argv): string | undefined {
  const flags = flagsOf(parser as unknown as Parser);
  const seen = new Set<string>();
  for (const token of tokensOf(words, flags)) {
    const problem = problemOf(token, flags, seen);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

interface Flags extends Declared {
  /** Long names, without dashes. */
  names: readonly string[];
}

function flagsOf(parser: Parser): Flags {
  const declared = parser.getOptions();
  const positional = parser.getGroups()['Positionals:'] ?? [];
  const names = Object.keys(declared.key).filter((name) => name.length > 1 && !positional.includes(name));
  return { ...declared, names };
}

/** Aliases of one letter are short forms of their name. */
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

/** Whether a word is a flag whose value may be left out, and is. */
function isBare(word: string, next: string | undefined, { names, string, narg }: Flags): boolean {
  const name = word.slice(2);
  const mayBeBare = word.startsWith('--') && names.includes(name) && string.includes(name) && !(name in narg);
  return mayBeBare && (next === undefined || next.startsWith('-'));
}

type Token = ReturnType<typeof tokensOf>[number];

/** `seen` holds the flags before this one. */
function problemOf(token: Token, flags: Flags, seen: Set<string>): string | undefined {
  if (token.kind === 'option-terminator') return 'Nothing after -- is read.';
  if (token.kind === 'positional') return isBlank(token.value) ? 'An argument is empty: an unset variable?' : undefined;
  const { name } = token;
  if (!flags.names.includes(name)) return unknownFlag(token.rawName, flags);
  if (seen.has(name) && !flags.array.includes(name)) return `--${name} is given twice but takes one value.`;
  seen.add(name);
  const problem = flags.boolean.includes(name) ? problemOfSwitch(token.value) : problemOfValue(token, flags);
  return problem === undefined ? undefined : `--${name}${problem}`;
}

const writesOne = 'chat-load init --url URL writes one';

/** Flags of other tools: the words for the remedy, and the flag of ours that they name, if the command has it. */
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
    remedy: 'a session is several turns: --max-turns bounds the turns, --sessions the sessions',
  }),
  ...named(['d'], { flag: 'duration', remedy: '--duration sets how long new sessions are started' }),
  ...named(['t'], {
    flag: 'duration',
    remedy: '--duration sets the length of the run, --cores the generator processes',
  }),
  ...named(['threads'], { flag: 'cores', remedy: '--cores sets the number of generator processes' }),
  ...named(['host', 'endpoint', 'target'], { flag: 'url', remedy: '--url names the service' }),
  ...named(['url', 'base-url'], { flag: 'head', remedy: '--base and --head name the two releases' }),
  ...named(['output'], { flag: 'out', remedy: '--out names the folder of results, --report a report to write' }),
  ...named(['prompt'], { flag: 'concurrency', remedy: `set messages in the scenario (${writesOne})` }),
  ...named(['max-tokens'], { flag: 'output-tokens', remedy: '--output-tokens limits a reply without a scenario file' }),
  ...named(['turns'], { flag: 'concurrency', remedy: `set turns in the scenario (${writesOne})` }),
  ...named(['think-time'], { flag: 'concurrency', remedy: `set thinkTime in the scenario (${writesOne})` }),
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
  // Without the dashes, which every flag has: they would make any two short names alike.
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
    return ` takes a value; one that begins with a dash is written --${name}=VALUE.`;
  if (isBlank(value)) return ' is empty: an unset variable?';
  if (number.includes(name) && !Number.isFinite(Number(value))) return ` takes a number, not '${value}'.`;
  const known = choices[name];
  return known === undefined || known.includes(value) ? undefined : `: ${unknownName('value', value, known)}`;
}

const isBlank = (text: string): boolean => text.trim() === '';

/** The group of the flags that `--help` shows first. */
export const maxUsed = 'Most used:';
/** The group of those that override the scenario. */
export const overrides = 'Scenario overrides:';

/**
 * Hides the flags of a command that few people use: all scenario overrides, or every flag that is not among the most
 * used. A command without overrides keeps its page.
 */
export function hideRareFlags(yargs: Argv, isAll: boolean): void {
  const parser = yargs as unknown as Parser;
  const { [maxUsed]: kept = [], [overrides]: rare = [], 'Positionals:': positional = [] } = parser.getGroups();
  if (rare.length === 0) return;
  const always = [...kept, ...positional, 'help', 'help-all', 'version'];
  const hidden = isAll ? Object.keys(parser.getOptions().key).filter((name) => !always.includes(name)) : rare;
  for (const name of hidden) yargs.hide(name);
}
