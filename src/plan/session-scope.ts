import { ChatLoadError, messageOf } from '../base/errors.ts';
import { valueFault } from '../base/header-field.ts';
import { isUnsendable, sendableText, parseJson } from '../base/json.ts';
import { keyOf, randomOf, type Random } from '../base/random.ts';
import type { ToolResult, ToolCall } from '../protocol/protocol.ts';
import { drawUuid, type TemplateScope } from '../scenario/template.ts';
import { holdsPromise, promiseWords } from '../base/promise.ts';
import type {
  PreviousReply,
  MessageContext,
  NextMessage,
  ToolArguments,
  ToolFunction,
} from '../scenario/scenario-values.ts';
import { rowAt } from './pick-list.ts';
import type { ScriptPart } from './header-script.ts';
import type { Script, ScriptFunction } from './script.ts';
import { isObject } from '../base/is-object.ts';
import { unknownName } from '../base/unknown-name.ts';

/** Scope of one session's templates; one object per session, moved from part to part. */
export class SessionScope implements TemplateScope {
  readonly session: { readonly number: number };
  readonly run: { readonly id: string };
  turn: { number: number; inputTokens: number | undefined } = { number: 0, inputTokens: undefined };
  variables: Readonly<Record<string, unknown>> = {};
  usedTurn = false;
  readonly #script: Script;
  readonly #tokens: readonly (number | null)[] | undefined;
  #stream: Random | undefined;
  #idStream: Random | undefined;
  /** True for values and headers: ids in them are chosen by the client. */
  #hasIds = false;
  #partKey = 0;
  #turnKey = 0;

  /** `tokens`: recorded tokens of each turn's message, if a trace has them. */
  constructor(script: Script, number: number, tokens?: readonly (number | null)[]) {
    this.session = { number };
    this.run = { id: script.run.id || noRunId };
    this.#script = script;
    this.#tokens = tokens;
  }

  /** Renders a variable value. */
  renderValue(part: ScriptPart, turn: number): unknown {
    return this.#render(part, turn, { turnKey: 0, hasIds: true });
  }

  #render(part: ScriptPart, turn: number, { turnKey, hasIds }: { turnKey: number; hasIds: boolean }): unknown {
    this.#begin(part.key, turn, turnKey);
    this.#hasIds = hasIds;
    return this.#guarded(() => part.value.render(this));
  }

  /** Switches draws to the stream of a part and a turn. */
  #begin(partKey: number, turn: number, turnKey: number): void {
    this.turn.number = turn;
    if (this.#tokens !== undefined) this.turn.inputTokens = this.#tokens[turn - 1] ?? undefined;
    this.#stream = undefined;
    this.#idStream = undefined;
    this.#hasIds = false;
    this.#partKey = partKey;
    this.#turnKey = turnKey;
  }

  /** Renders a message, with its own stream. */
  renderText(part: ScriptPart, turn: number): string {
    const rendered = this.#render(part, turn, { turnKey: turn, hasIds: false });
    return this.#guarded(() => messageText(part, rendered));
  }

  /** Renders a header; `undefined`: it is omitted. Its draws belong to the session. */
  renderHeader(part: ScriptPart, turn: number): string | undefined {
    const rendered = this.#render(part, turn, { turnKey: 0, hasIds: true });
    return this.#guarded(() => headerText(part, rendered));
  }

  /** Calls `next` for a turn with the reply and the earlier messages; `undefined`: the conversation ends. */
  renderNext(
    part: ScriptFunction<NextMessage>,
    turn: number,
    { lastReply, sent }: { lastReply: PreviousReply; sent: readonly string[] },
  ): string | undefined {
    this.#begin(part.key, turn, turn);
    return this.#guarded(() => {
      const given = noPromise(part, part.call(lastReply, { ...this.#context(), sent }));
      return given === null || given === undefined ? undefined : messageText(part, given);
    });
  }

  /** Results of the tools that a reply calls; `turnKey` is the key of the turn in which they are sent. */
  renderTools(calls: readonly ReadCall[], turn: number, turnKey: number): ToolResult[] {
    this.#begin(calls[0]?.tool.key ?? 0, turn, turnKey);
    return calls.map(({ call: { id, name }, tool, given }) =>
      this.#guarded(() => {
        const made = noPromise(tool, tool.call(given, this.#context()));
        return { id, name, content: typeof made === 'string' ? made : (sendableText(made) ?? '') };
      }),
    );
  }

  #context(): MessageContext {
    return {
      session: this.session,
      turn: this.turn,
      run: this.run,
      random: () => this.random(),
      pick: (list) => this.pick(list),
      variables: this.variables,
    };
  }

  /** Draws the UUID of the session. */
  uuid(): string {
    this.#begin(uuidKey, 0, 0);
    this.#hasIds = true;
    return drawUuid(this);
  }

  /** Returns the JSON text of a rendered value: a function may return a value that has no JSON text, or throws when it is read. */
  textOf(rendered: unknown): string {
    return this.#guarded(() => sendableText(rendered) ?? '');
  }

  #guarded<Made>(make: () => Made): Made {
    try {
      return make();
    } catch (thrown) {
      throw new ChatLoadError('usage', {
        message: `A function of the scenario failed in session ${String(this.session.number)}, turn ${String(this.turn.number)}: ${messageOf(thrown)}`,
        hint: 'Fix the function in the scenario file; `chat-load plan` tries it without sending anything.',
        cause: thrown,
      });
    }
  }

  noteTurn(): void {
    this.usedTurn = true;
  }

  random(): number {
    this.#stream ??= randomOf(this.#script.seed, this.#partKey, this.#turnKey, this.session.number);
    return this.#stream();
  }

  idRandom(): number {
    const { seed, run, reproducibleIds } = this.#script;
    if (!this.#hasIds || reproducibleIds || run.id === '') return 0;
    this.#idStream ??= randomOf(seed, idKey, keyOf(run.id), this.#partKey, this.#turnKey, this.session.number);
    return this.#idStream();
  }

  pick(list: string): unknown {
    const known = this.#script.lists[list];
    if (known === undefined) return undefined;
    return rowAt(known, randomOf(this.#script.seed, keyOf(list), pickKey, this.session.number)());
  }
}

const pickKey = keyOf('pick');
const idKey = keyOf('ids');
const uuidKey = keyOf('uuid');
/** Stands for the id of a run before there is one. */
const noRunId = '00000000';

function noPromise({ path }: Pick<ScriptPart, 'path'>, given: unknown): unknown {
  if (holdsPromise(given)) throw new Error(`${path} returned a promise, ${promiseWords}`);
  return given;
}

/** Returns the text of a rendered message: not empty, and from a single placeholder also a number or a boolean. */
function messageText({ path }: Pick<ScriptPart, 'path'>, rendered: unknown): string {
  const isSendable = rendered !== '' && !isUnsendable(rendered);
  if (isSendable && ['string', 'number', 'boolean'].includes(typeof rendered)) return String(rendered);
  throw new Error(`${path} returned ${describeKind(rendered)}: a message must be non-empty text`);
}

/** Returns the text of a header field. Throws for line breaks, which could add a header. */
function headerText({ path }: Pick<ScriptPart, 'path'>, rendered: unknown): string | undefined {
  if (rendered === undefined || rendered === null) return undefined;
  const isText = typeof rendered === 'string' || typeof rendered === 'number' || typeof rendered === 'boolean';
  if (isUnsendable(rendered) || !isText)
    throw new Error(`${path} returned ${describeKind(rendered)}: a header value must be text`);
  const fault = valueFault(String(rendered));
  if (fault !== undefined) throw new Error(`${path} returned ${fault}, which is not allowed in a header`);
  return String(rendered);
}

function describeKind(given: unknown): string {
  if (given === undefined) return 'nothing';
  if (given === '') return 'empty text';
  if (Array.isArray(given)) return 'a list';
  if (given === null || typeof given === 'number') return String(given);
  return `a value of type ${typeof given}`;
}

/** A call of a tool that the scenario has. */
export interface ReadCall {
  call: ToolCall;
  tool: ScriptFunction<ToolFunction>;
  given: ToolArguments;
}

/** Reads the tool calls of a reply: each call with its tool, or a description of its problem. */
export function readCalls(tools: Script['tools'], calls: readonly ToolCall[]): ReadCall[] | string {
  const read: ReadCall[] = [];
  for (const call of calls) {
    const tool = tools.get(call.name);
    if (tool === undefined) return `the reply calls an ${unknownName('tool', call.name, [...tools.keys()])}`;
    const given = argumentsOf(call);
    if (given === undefined) return `the reply calls the tool ${call.name} with arguments that are not a JSON object`;
    read.push({ call, tool, given });
  }
  return read;
}

/** Parses the arguments of a tool call, for which some services send empty text if there are none. */
function argumentsOf({ arguments: text }: ToolCall): ToolArguments | undefined {
  if (text.trim() === '') return {};
  try {
    const given: unknown = parseJson(text);
    return isObject(given) ? given : undefined;
  } catch {
    return undefined;
  }
}
