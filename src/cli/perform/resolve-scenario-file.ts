import { dirname } from 'node:path';
import { scenarioReaders } from '../../edge/disk/scenario-readers.ts';
import {
  isBuiltIn,
  openScenario,
  scenarioLabel,
  builtInSource,
  type BuiltIn,
} from '../../app/built-in/built-in-scenario.ts';
import { resolveScenario, type ResolvedScenario } from '../../plan/resolve-scenario.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { checkResolved, problemsOfGates } from '../../app/run/check-resolved.ts';
import { printable } from '../../base/printable.ts';
import { insecureTexts } from '../../report/words/target-text.ts';
import { keepSecrets, stderr, secretNames } from '../console/terminal.ts';
import { environmentName, givenBeside } from '../../plan/overlay.ts';
import { optionSets, type Given } from '../parser/options.ts';
import type { Row } from '../parser/rows.ts';
import { nearestName } from '../../base/unknown-name.ts';
import { scenarioOptions } from '../../scenario/scenario-options.ts';
import { redisVariable } from './read-fleet.ts';
import { chooseProtocol, type Choice } from '../../app/built-in/choose-protocol.ts';
import { usageError } from '../../base/errors.ts';
import { shellWord } from '../../base/format.ts';
import { protocols, type ProtocolName } from '../../protocol/registry/registry.ts';
import { findTokenizer } from '../../edge/optional-packages.ts';
import { isCredential } from '../../base/header-field.ts';
import { isLoopback, plainName } from '../../plan/host-names.ts';

/**
 * Loads and resolves the scenario of a command. Every command rejects what `run` rejects: gates that cannot be evaluated,
 * and hosts that are not allowed.
 */
export async function resolveScenarioFile(
  args: { scenario: string; [flag: string]: unknown },
  environment: NodeJS.ProcessEnv = process.env,
): Promise<ResolvedScenario> {
  misspeltVariables(environment).forEach((line) => writeOnce(line));
  const readers = scenarioReaders({ ofScenario: dirname(args.scenario), ofCommand: '.' });
  const around = { flags: args, environment, hasFile: !isBuiltIn(args.scenario), problemsOfGates, ...readers };
  const label = scenarioLabel(args.scenario);
  const resolved = resolveScenario(await openScenario(args.scenario), around, label);
  printNotes(resolved);
  // The key of the embedded service is not secret.
  if (resolved.embedded === undefined) keepSecrets(resolved.secrets);
  checkResolved(resolved, label);
  return resolved;
}

/** Resolves the built-in scenario of a command by flags and environment. */
const written = new Set<string>();

/** Writes a line to standard error once per command, which may have several runs. */
function writeOnce(line: string, write = (text: string): void => stderr.note(text)): void {
  if (!written.has(line)) write(line);
  written.add(line);
}

function printNotes({ plan, notes }: ResolvedScenario): void {
  for (const note of notes) writeOnce(`note: ${note}`);
  for (const line of insecureTexts(plan)) writeOnce(line, (text) => stderr.line(stderr.colors.red(printable(text))));
}

/** Environment variables that chat-load reads. */
export const knownVariables: readonly string[] = [
  ...scenarioOptions.flatMap((option) => environmentName(option) ?? []),
  ...secretNames,
  ...Object.values(optionSets).flatMap((rows) =>
    Object.values<Row<unknown>>(rows).flatMap(({ environment }) => environment ?? []),
  ),
  'CHAT_LOAD_CACHE',
  redisVariable,
  'CHAT_LOAD_REDIS_USERNAME',
];

/** Returns a warning for every variable that resembles a known one. Other variables of an author are ignored. */
export function misspeltVariables(environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('CHAT_LOAD_') && !knownVariables.includes(name))
    .flatMap((name) => {
      const nearest = nearestName(name.slice(prefix.length), shortNames);
      return nearest === undefined ? [] : [`warning: ${name} is unknown: did you mean ${prefix}${nearest}?`];
    });
}

const prefix = 'CHAT_LOAD_';
const shortNames = knownVariables.map((name) => name.slice(prefix.length));

interface Bare extends Partial<Given<'prompts'>> {
  scenario?: string | undefined;
  fleet?: string | undefined;
  [flag: string]: unknown;
}

/**
 * Returns the arguments of a command with the scenario in them: the file that was named, or the built-in scenario for
 * the URL that was given. Throws a usage error if there is neither. With `sendsNothing`, no request recognizes the
 * protocol.
 */
export async function withScenario<Args extends Bare>(
  args: Args,
  { command, sendsNothing }: { command: string; sendsNothing: boolean },
): Promise<Args & { scenario: string }> {
  const { scenario } = args;
  if (scenario !== undefined) {
    refusePromptFlags(args);
    return { ...args, scenario };
  }
  const given = (name: string): unknown => givenBeside(name, { flags: args, environment: process.env });
  const url = given('target.baseUrl');
  if (typeof url !== 'string')
    throw usageError(
      'missing argument: <scenario>, or --url URL to load a service without a scenario file',
      [
        `See chat-load ${command} --help. chat-load init writes a scenario to start from.`,
        `chat-load init --example smoke && chat-load ${command} scenarios/smoke.ts`,
        `chat-load ${command} --url http://localhost:8000/v1 --model NAME`,
      ].join('\n'),
    );
  if (args.fleet !== undefined)
    throw usageError(
      '--fleet needs a scenario file: workers only run scenarios named on their own command lines.',
      'chat-load init --url URL --model NAME writes one; --cores uses several cores of this machine without a file.',
    );
  const isOpen = needsNoKey(args);
  const bare = { name: nameOf(url), isOpen, isCounted: given('sessions') !== undefined };
  const resolve = (protocol: BuiltIn['protocol']): ReturnType<typeof resolveScenarioFile> =>
    resolveScenarioFile({ ...args, scenario: builtInSource({ ...bare, protocol }) });
  const offline = sendsNothing ? commandLine(command, url, args) : undefined;
  const choice = await chooseProtocol(url, {
    named: given('target.protocol'),
    model: given('target.agentId'),
    offline,
    resolve,
  });
  const prompts = await readPrompts(args['input-tokens']);
  const outputTokens = readOutput(args['output-tokens'], choice);
  if (choice.why !== undefined) stderr.note(`note: the protocol is ${choice.protocol}, ${choice.why}.`);
  if (isOpen) noteNoKey(args);
  if (prompts !== undefined) stderr.note(`note: prompts have ${lengthText(prompts)}.`);
  return { ...args, scenario: builtInSource({ ...bare, protocol: choice.protocol, prompts, outputTokens }) };
}

/**
 * Resolves the given scenario, or the built-in one of the command by flags and environment. The protocol of a model is
 * detected as for a run without a file; agents use chat messaging. Throws a usage error for settings that no command accepts.
 */
export async function resolveGivenOr(
  { scenario, ...flags }: { scenario?: string | undefined } & Readonly<Record<string, unknown>>,
  { author, name }: { author: Scenario; name: string },
): Promise<ResolvedScenario> {
  if (scenario !== undefined) return resolveScenarioFile({ ...flags, scenario });
  const given = (path: string): unknown => givenBeside(path, { flags, environment: process.env });
  const [url, named] = [given('target.baseUrl'), given('target.protocol')];
  const isOpen = needsNoKey(flags);
  if (isOpen) noteNoKey(flags);
  const around = { flags, environment: process.env, hasFile: false };
  const resolveAs = (protocol?: ProtocolName): ResolvedScenario => {
    const target = { ...(isOpen && { auth: 'none' as const }), ...(protocol && { protocol }) };
    const readers = scenarioReaders({ ofScenario: '.', ofCommand: '.' });
    const resolved = resolveScenario({ ...author, target }, { ...around, ...readers }, name);
    printNotes(resolved);
    return resolved;
  };
  const isModel = flags['model'] !== undefined && typeof url === 'string' && named === undefined;
  const choice = isModel
    ? await chooseProtocol(url, { named, model: flags['model'], offline: undefined, resolve: resolveAs })
    : undefined;
  if (choice !== undefined) stderr.note(`note: the protocol is ${choice.protocol}, ${choice.why ?? ''}.`);
  const resolved = resolveAs(choice?.protocol);
  if (resolved.embedded === undefined) keepSecrets(resolved.secrets);
  checkResolved(resolved, name);
  return resolved;
}

/** Returns the command to which a protocol must be added, without parts of a URL that may be secret. */
function commandLine(command: string, url: string, args: Bare): string {
  const { username, password, search } = URL.canParse(url) ? new URL(url) : { username: '', password: '', search: '' };
  const named = ['model', 'agent-id'].flatMap((flag) =>
    typeof args[flag] === 'string' ? [`--${flag}`, shellWord(args[flag])] : [],
  );
  const switchOf = (flag: string): string[] => (args[flag] === true ? [`--${flag}`] : []);
  const shown = username + password + search === '' ? shellWord(url) : 'URL';
  return ['chat-load', command, ...switchOf('dry-run'), '--url', shown, ...named, ...switchOf('stream')].join(' ');
}

/** Returns the name of a run: `localhost-8000` for `http://localhost:8000/v1`. */
const nameOf = (url: string): string =>
  (URL.canParse(url) ? new URL(url).host : url)
    .replace(/[^\w.]+/g, '-')
    .replace(/^[-.]+|-+$/g, '')
    .slice(0, 100) || 'url';

async function readPrompts(text: string | undefined): Promise<BuiltIn['prompts']> {
  if (text === undefined) return undefined;
  const [, from = '', to = from] = /^(\d{1,6})(?:\.\.(\d{1,6}))?$/.exec(text) ?? [];
  const [min, max] = [Number(from), Number(to)];
  if (min < 1 || max < min)
    throw usageError(
      `--input-tokens takes a length such as 200, or a range such as 100..500, not '${text}'.`,
      'Prompts have from 1 to 999999 tokens.',
    );
  return { min, max, counted: (await findTokenizer('.'))?.name ?? 'words' };
}

function readOutput(tokens: number | undefined, { protocol }: Choice): number | undefined {
  if (tokens === undefined) return undefined;
  if (!Number.isInteger(tokens) || tokens < 1)
    throw usageError(
      '--output-tokens takes a whole number of at least 1.',
      'It is the maximum number of tokens per reply.',
    );
  if (protocols[protocol].protocol.outputLimit !== undefined) return tokens;
  throw usageError(`--output-tokens: messages of ${protocol} have no field that limits the reply.`, 'Omit the flag.');
}

function lengthText({ min, max, counted }: NonNullable<BuiltIn['prompts']>): string {
  const range = min === max ? String(min) : `${String(min)} to ${String(max)}`;
  return counted === 'words'
    ? `${range} words each: no tokenizer is installed here (npm install gpt-tokenizer)`
    : `${range} tokens each, counted by ${counted}`;
}

/** Throws a usage error for flags that set messages, which a scenario file defines. */
function refusePromptFlags(args: Partial<Given<'prompts'>>): void {
  const fields = { 'input-tokens': 'messages', 'output-tokens': 'target.messageBody' } as const;
  for (const flag of ['input-tokens', 'output-tokens'] as const)
    if (args[flag] !== undefined)
      throw usageError(
        `--${flag} is for a run without a scenario file.`,
        `Set ${fields[flag]} in the scenario instead.`,
      );
}

type Flags = Readonly<Record<string, unknown>>;

/**
 * Reports whether a command without a scenario file sends no key: flags and environment contain none, and either the
 * target is this machine or a header field authorizes requests.
 */
function needsNoKey(flags: Flags): boolean {
  if (targetOf(flags, 'apiKey') !== undefined || targetOf(flags, 'auth.command') !== undefined) return false;
  const url = targetOf(flags, 'baseUrl');
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  return hasCredential(flags) || isLoopback(plainName(new URL(url).hostname));
}

/** Notes that no key is sent, unless a header field authorizes requests. */
function noteNoKey(flags: Flags): void {
  if (!hasCredential(flags)) stderr.note('note: CHAT_LOAD_API_KEY is not set, so no key is sent to this machine.');
}

const targetOf = (flags: Flags, name: string): unknown =>
  givenBeside(`target.${name}`, { flags, environment: process.env });

/** Reports whether a header field, given as a line `Name: value`, authorizes requests. */
function hasCredential(flags: Flags): boolean {
  const lines = targetOf(flags, 'headers');
  if (!Array.isArray(lines)) return false;
  return lines.some((line) => typeof line === 'string' && isCredential(line.slice(0, Math.max(0, line.indexOf(':')))));
}
