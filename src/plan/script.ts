import { isUnsendable } from '../base/json.ts';
import { compileValue, type ScenarioProblem } from '../scenario/compile-value.ts';
import { branches, isFromFile, maxBranchingTurns } from '../scenario/message-options.ts';
import type { NextMessage, ReplyCheck, ReplyCost, ToolFunction, MessageFunction } from '../scenario/scenario-values.ts';
import type { ReadList } from '../scenario/data-options.ts';
import type { ReadScenario } from '../scenario/schema.ts';
import type { ResolvedDistribution } from '../scenario/duration-distribution.ts';
import type { ChatProtocol } from '../protocol/protocol.ts';
import type { ResolvedTurns } from '../scenario/turn-options.ts';
import { Conversations, conversationTurns } from './conversations.ts';
import {
  type ScriptPart,
  compileIdentity,
  compileHeaders,
  type HeaderPart,
  type HeaderScript,
} from './header-script.ts';
import type { IntegrityPlan, Plan } from './plan.ts';
import type { Pricing } from './prices.ts';
import type { Replay } from './replay.ts';
import { type PickList, weighRows } from './pick-list.ts';
import { keyOf, type Random } from '../base/random.ts';
import { isObject } from '../base/is-object.ts';
import { makeMessage } from '../trace/make-message.ts';

/** A function of the scenario, with the path and the random key of its part. */
export interface ScriptFunction<Call> extends Pick<ScriptPart, 'path' | 'key'> {
  readonly call: Call;
}

/** Differences between runs whose sessions are equal otherwise. */
export interface RunKey {
  /** Eight characters, for ids that the client chooses; '' before a run. */
  readonly id: string;
  /** Eight characters, for the tags and codes of the integrity guard; equal in runs that send equal texts, such as those of a pair. */
  readonly salt: string;
}

export const saltLength = 8;

/** Before a run. */
export const noRun: RunKey = { id: '', salt: '' };

/** Returns a script whose sessions belong to a run. `id`: the whole id. */
export function forRun(script: Script, { id, salt }: RunKey): Script {
  return { ...script, run: { id: id.slice(0, saltLength), salt } };
}

/** Source of the sessions: templates and functions compiled once. Not JSON: the plan is its JSON-safe counterpart. */
export interface Script {
  readonly seed: number;
  /** The run that sends the sessions. */
  readonly run: RunKey;
  /** True if ids that the client chooses are the same in every run. */
  readonly reproducibleIds: boolean;
  readonly lists: Readonly<Record<string, PickList>>;
  readonly variables: readonly (ScriptPart & { readonly name: string })[];
  readonly messages: readonly ScriptPart[];
  /** Whole conversations that sessions take their messages from; `undefined`: the messages above. */
  readonly conversations: Conversations | undefined;
  /** Returns the messages after the first one; `undefined`: they do not depend on replies. */
  readonly next: ScriptFunction<NextMessage> | undefined;
  /** By name; none: the tool calls of replies are not answered. */
  readonly tools: ReadonlyMap<string, ScriptFunction<ToolFunction>>;
  readonly turns: ResolvedTurns;
  readonly thinkTime: ResolvedDistribution;
  readonly policies: number;
  readonly checks: readonly (readonly [name: string, check: ReplyCheck])[];
  /** Request headers. */
  readonly headers: HeaderScript;
  /** Header that authorizes one session only; `undefined`: none. */
  readonly identity: HeaderPart | undefined;
  /** Request options of the target. */
  readonly protocol: ChatProtocol;
  /** System message sent before the conversation. */
  readonly instructions: string | null;
  /** Cost of a reply; `undefined`: not computed. */
  readonly cost: ReplyCost | undefined;
  /** Prices by which the usage of replies costs; `undefined`: none. */
  readonly prices: Pricing | undefined;
  /** Prompts that the integrity guard adds to messages; `undefined`: none. */
  readonly guardPrompts: IntegrityPlan['prompts'] | undefined;
  /** Trace that defines the sessions; `undefined`: none. */
  readonly replay: Replay | undefined;
}

/** Sessions to run. */
export interface Workload {
  plan: Plan;
  script: Script;
}

/** All calls of a reply share a stream. */
const toolsKey = keyOf('tools');

/** Returns the distribution of turns; by default every message once, or a limit if the script branches. */
export function turnsOf(scenario: ReadScenario): ResolvedTurns {
  const conversations = conversationsOf(scenario);
  if (conversations !== undefined) return conversationTurns(conversations.source.turnCounts, maxTurnsOf(scenario));
  const turns = branches(scenario.messages) ? maxBranchingTurns : messagesOf(scenario).length;
  return scenario.turns ?? { kind: 'constant', turns };
}

/** Returns the messages that do not depend on replies. */
export function messagesOf({ messages }: ReadScenario): readonly unknown[] {
  if (isFromFile(messages)) return [];
  if (branches(messages)) return [messages.first];
  return typeof messages === 'function' ? [messages] : messages;
}

/** Returns the conversations of a file; `undefined`: the messages are the scenario's own, or in a file that was not opened. */
function conversationsOf(scenario: ReadScenario): Conversations | undefined {
  const { messages, target } = scenario;
  if (!isFromFile(messages) || messages.source === undefined) return undefined;
  return new Conversations(messages.source(), {
    order: messages.order,
    max: maxTurnsOf(scenario),
    sendsSystem: messages.system === 'send' && target.instructions === undefined,
  });
}

/** Returns the bound on the turns of conversations; none for other messages. */
const maxTurnsOf = ({ turns }: ReadScenario): number | undefined =>
  turns?.kind === 'constant' ? turns.turns : undefined;

function checkConversations({ messages, turns }: ReadScenario, problems: ScenarioProblem[]): void {
  if (!isFromFile(messages)) return;
  if (messages.source === undefined)
    problems.push({ path: 'messages', message: 'the file was not read: load the scenario from a file' });
  if (turns !== undefined && turns.kind !== 'constant')
    problems.push({ path: 'turns', message: 'with fromFile it must be a number: the maximum turns of a session' });
}

/** Compiles the scenario's texts and functions; every problem goes to `problems`. */
export function compileScript(scenario: ReadScenario, problems: ScenarioProblem[]): Script {
  checkConversations(scenario, problems);
  const lists = listsOf(scenario, problems);
  const rows = Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.rows]));
  const names = Object.keys(scenario.variableValues);
  const compile = (value: unknown, name: string, variables: readonly string[]): ScriptPart => {
    const path = nameOf(name, scenario);
    return {
      path,
      value: compileValue(value, path, { known: { lists: rows, variables }, problems }),
      key: keyOf(name),
    };
  };
  return {
    seed: scenario.seed,
    run: noRun,
    reproducibleIds: scenario.reproducibleIds,
    lists,
    variables: names.map((name) => ({ name, ...compile(scenario.variableValues[name], `variableValues.${name}`, []) })),
    messages: messagesOf(scenario).map((message, index) => compile(message, `messages[${String(index)}]`, names)),
    conversations: conversationsOf(scenario),
    next: branches(scenario.messages)
      ? { path: 'messages.next', call: scenario.messages.next, key: keyOf('messages.next') }
      : undefined,
    tools: new Map(
      Object.entries(scenario.tools).map(([name, call]) => [name, { path: `tools.${name}`, call, key: toolsKey }]),
    ),
    turns: turnsOf(scenario),
    thinkTime: scenario.thinkTime,
    policies: Object.keys(scenario.retry).length,
    checks: Object.entries(scenario.checks),
    headers: compileHeaders(scenario.target, { compile: (value, name) => compile(value, name, []), problems }),
    identity: compileIdentity(scenario.target.auth, (value, name) => compile(value, name, [])),
    protocol: scenario.target.protocol,
    instructions: scenario.target.instructions ?? null,
    cost: scenario.cost,
    prices: undefined,
    guardPrompts: scenario.integrity.mode === 'active' ? scenario.integrity.prompts : undefined,
    replay: undefined,
  };
}

/** Returns the path in the scenario file: only the messages of a list have numbers. */
function nameOf(path: string, { messages }: ReadScenario): string {
  if (path !== 'messages[0]' || Array.isArray(messages)) return path;
  return branches(messages) ? 'messages.first' : 'messages';
}

function listsOf({ data }: ReadScenario, problems: ScenarioProblem[]): Record<string, PickList> {
  const lists: Record<string, PickList> = {};
  for (const [name, list] of Object.entries(data)) {
    const path = `data.${name}`;
    if ('file' in list) problems.push({ path, message: 'the file was not read: load the scenario from a file' });
    else lists[name] = pickList(list, path, problems);
  }
  return lists;
}

function pickList(
  { rows, weight }: Exclude<ReadList, { file: string }>,
  path: string,
  problems: ScenarioProblem[],
): PickList {
  const found = findUnsendable(rows);
  if (found !== undefined)
    problems.push({ path: path + found.place, message: `${found.number} cannot be sent as JSON` });
  return weight === undefined ? { rows, weightsUpTo: undefined } : weighRows(rows, weight, { path, problems });
}

/** Finds the first number in rows that JSON cannot represent, and its path. There may be millions of rows. */
function findUnsendable(value: unknown): { number: string; place: string } | undefined {
  if (isUnsendable(value)) return { number: String(value), place: '' };
  if (typeof value !== 'object' || value === null) return undefined;
  for (const key in value) {
    const found = findUnsendable((value as Readonly<Record<string, unknown>>)[key]);
    if (found !== undefined) return { ...found, place: (Array.isArray(value) ? `[${key}]` : `.${key}`) + found.place };
  }
  return undefined;
}

/** Messages with the lengths recorded in a trace, for traces without texts. */
const madeMessages: MessageFunction = ({ turn, random }) => makeMessage(turn.inputTokens, random);

/** Length of prompts: from `min` to `max` words, or tokens as a tokenizer counts them. */
interface PromptLength {
  min: number;
  max: number;
  /** `words`, or the name of the tokenizer. */
  counted: string;
}

const lengths = new WeakMap<object, PromptLength>();

/** Returns a function that generates prompts of a length from the draws of the turn. */
export function makePrompts(length: PromptLength, make: (units: number, random: Random) => string): MessageFunction {
  const { min, max } = length;
  const prompts: MessageFunction = ({ random }) => make(min + Math.floor(random() * (max - min + 1)), random);
  lengths.set(prompts, length);
  return prompts;
}

/** Returns the length of messages that are generated prompts. */
export function promptLength(messages: unknown): PromptLength | undefined {
  return typeof messages === 'function' ? lengths.get(messages) : undefined;
}

/** Returns a scenario with generated messages if it replays a trace and has no messages. */
export function withMessages(scenario: Record<string, unknown>): Record<string, unknown> {
  const { load, messages } = scenario;
  const replays = isObject(load) && load['trace'] !== undefined;
  return replays && messages === undefined ? { ...scenario, messages: madeMessages } : scenario;
}

export function isMade(messages: unknown): boolean {
  return messages === madeMessages;
}
