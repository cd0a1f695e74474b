import { isCredential, secretsOf } from '../base/header-field.ts';
import { ms, type Ms } from '../base/time.ts';
import type { ToolResult } from '../protocol/protocol.ts';
import type { PreviousReply } from '../scenario/scenario-values.ts';
import type { ResolvedTurns } from '../scenario/turn-options.ts';
import type { RenderedHeaders } from './header-script.ts';
import { newTokens } from '../trace/input-of.ts';
import type { TracedTurn } from '../trace/trace.ts';
import { withGuardPrompts } from './guard-prompts.ts';
import { keyOf, randomOf } from '../base/random.ts';
import { drawTurns, sampleDuration } from './distributions.ts';
import type { Script } from './script.ts';
import { type ReadCall, SessionScope } from './session-scope.ts';
import { setTimeout as pass } from 'node:timers/promises';
import { digestOf } from './digest.ts';

const noHeaders: RenderedHeaders = { fields: {}, text: '', secrets: [] };
const turnsKey = keyOf('turns');
const thinkTimeKey = keyOf('thinkTime');

/** Derives session `number` of a script. An exception in a function of the scenario becomes the author's error. */
export function planSession(script: Script, number: number): SessionPlan {
  return new DerivedSession(script, number);
}

/**
 * A future session, derived from (seed, number) alone when it is due: the same on any machine, regardless of the sessions
 * before it. Turns are counted from 1.
 */
export type SessionPlan = Pick<DerivedSession, keyof DerivedSession>;

class DerivedSession {
  /** From 1. */
  readonly number: number;
  /** Index of its retry policy; sessions are assigned to policies by number. */
  readonly policy: number;
  /** Maximum number of turns if the script branches, otherwise the number. */
  readonly turns: number;
  /** Number of turns whose messages are known at the start: all, or only the first if the script branches. */
  readonly foreseen: number;
  readonly #script: Script;
  /** Conversation of the file that the session takes. */
  readonly #index: number | undefined;
  readonly #scope: SessionScope;
  /** Session of the replayed trace; `undefined`: no trace. */
  readonly #traced: readonly TracedTurn[] | undefined;
  /** Messages of a branching script so far; they cannot be recomputed. */
  readonly #sent: string[] | undefined;
  #values: { readonly turn: number; readonly json: string; readonly usesTurn: boolean } | undefined;
  #headers: { readonly turn: number; readonly made: RenderedHeaders; readonly usesTurn: boolean } | undefined;

  constructor(script: Script, number: number) {
    this.number = number;
    this.policy = (number - 1) % script.policies;
    this.#index = script.conversations?.indexOf(script.seed, number);
    this.#traced = tracedTurns(script, number);
    this.turns = this.#countTurns(script);
    this.foreseen = script.next === undefined ? this.turns : 1;
    this.#sent = script.next === undefined ? undefined : [];
    this.#script = script;
    this.#scope = new SessionScope(script, number, this.#traced && newTokens(this.#traced, script.replay?.input));
  }

  /** Returns the system message of this session; `undefined` if all sessions share one. */
  instructions(): string | undefined {
    return this.#index === undefined ? undefined : this.#script.conversations?.systemOf(this.#index);
  }

  /** Returns the text of a turn that is known or was returned by `next`, with the integrity guard's prompts. */
  message(turn: number): string {
    const text = this.#sent?.[turn - 1] ?? this.#foreseenText(turn);
    const { seed, guardPrompts: prompts, run } = this.#script;
    if (prompts === undefined) return text;
    const key = { seed, salt: run.salt };
    return withGuardPrompts(text, { prompts, key, session: this.number, turn, turns: this.turns });
  }

  /** Reports whether a turn follows another one after its reply. A branching script is called for its message: once per turn, in order. */
  follows(turn: number, lastReply: () => PreviousReply): boolean {
    if (turn >= this.turns) return false;
    const { next } = this.#script;
    if (next === undefined || this.#sent === undefined) return true;
    this.#readyValues(turn + 1);
    const text = this.#scope.renderNext(next, turn + 1, { lastReply: lastReply(), sent: [...this.#sent] });
    if (text !== undefined) this.#sent[turn] = text;
    return text !== undefined;
  }

  /** Results of the tools called in reply to a message, sent in turn `at` (tool turns included). */
  toolResults(calls: readonly ReadCall[], turn: number, at: number): readonly ToolResult[] {
    this.#readyValues(turn);
    return this.#scope.renderTools(calls, turn, at);
  }

  /** Returns eight characters that are different in every run. */
  get runId(): string {
    return this.#scope.run.id;
  }

  /** Returns a UUID that the client may choose as the id of the session. */
  uuid(): string {
    return this.#scope.uuid();
  }

  /** Returns the turn's variable values as JSON text; `undefined` when the scenario has none. */
  variableValues(turn: number): string | undefined {
    if (this.#script.variables.length === 0) return undefined;
    if (this.#values === undefined || (this.#values.usesTurn && this.#values.turn !== turn)) this.#drawValues(turn);
    return this.#values?.json;
  }

  /** Returns the header fields of a turn's requests that are rendered; turn 0 is the creation. */
  headers(turn: number): RenderedHeaders {
    if (this.#script.headers.rendered.length === 0) return noHeaders;
    if (this.#headers === undefined || (this.#headers.usesTurn && this.#headers.turn !== turn)) {
      this.#scope.usedTurn = false;
      const made = this.#renderHeaders(turn);
      this.#headers = { turn, made, usesTurn: this.#scope.usedTurn };
    }
    return this.#headers.made;
  }

  /** Returns the wait between the end of a turn and the next one. */
  thinkTime(afterTurn: number): Ms {
    const waitMs = this.#script.replay?.keepsPace === true ? this.#traced?.[afterTurn]?.waitMs : undefined;
    if (typeof waitMs === 'number') return ms(waitMs);
    const distribution = this.#script.thinkTime;
    if (distribution.kind === 'constant') return distribution.ms;
    return sampleDuration(distribution, randomOf(this.#script.seed, thinkTimeKey, afterTurn, this.number))();
  }

  /** Returns the time of a turn since the start of the session, if a trace defines it; `undefined` if the turn follows the think time. */
  comesAt(turn: number): Ms | undefined {
    const traced = this.#script.replay?.keepsPace === true ? this.#traced?.[turn - 1] : undefined;
    return traced === undefined || traced.waitMs !== null ? undefined : ms(traced.afterMs);
  }

  /** Returns the number of turns: from the trace, up to a limit; otherwise from the conversation, or as drawn. */
  #countTurns({ seed, replay, conversations, turns }: Script): number {
    const draw = (distribution: ResolvedTurns): number =>
      drawTurns(distribution, randomOf(seed, turnsKey, this.number));
    if (this.#traced !== undefined)
      return Math.min(this.#traced.length, replay?.bound === undefined ? Infinity : draw(replay.bound));
    return conversations === undefined || this.#index === undefined ? draw(turns) : conversations.turnsOf(this.#index);
  }

  #foreseenText(turn: number): string {
    if (turn > this.foreseen) throw new Error(`turn ${String(turn)} of a script that branches is not known`);
    const { conversations, messages: parts } = this.#script;
    if (conversations !== undefined && this.#index !== undefined) return conversations.textOf(this.#index, turn);
    const part = parts[(turn - 1) % parts.length];
    if (part === undefined) throw new Error('a script has at least one message');
    this.#readyValues(turn);
    const text = this.#scope.renderText(part, turn);
    if (this.#sent !== undefined) this.#sent[turn - 1] = text;
    return text;
  }

  /** Messages see the values of their turn. */
  #readyValues(turn: number): void {
    if (this.#script.variables.length > 0) this.variableValues(turn);
  }

  #renderHeaders(turn: number): RenderedHeaders {
    let text = '';
    const fields: Record<string, string> = {};
    const secrets: string[] = [];
    for (const part of this.#script.headers.rendered) {
      const value = this.#scope.renderHeader(part, turn);
      if (value === undefined) continue;
      text += `${part.name}: ${value}\r\n`;
      fields[part.name] = value;
      if (part.secretsIn !== undefined) secrets.push(...part.secretsIn(value));
      else if (isCredential(part.name)) secrets.push(...secretsOf(value));
    }
    return { fields, text, secrets };
  }

  #drawValues(turn: number): void {
    this.#scope.usedTurn = false;
    // The draws of a value belong to the session, so they do not change with the turn.
    const values = Object.fromEntries(
      this.#script.variables.map((part) => [part.name, this.#scope.renderValue(part, turn)]),
    );
    this.#scope.variables = values;
    this.#values = { turn, json: this.#scope.textOf(values), usesTurn: this.#scope.usedTurn };
  }
}

/** Sessions after the last one of a trace repeat it from the start. */
function tracedTurns({ replay }: Script, number: number): readonly TracedTurn[] | undefined {
  return replay?.source.at((number - 1) % replay.source.count).turns;
}

/** Number of sampled sessions. */
const sampled = [1, 2, 3];

/** Time between two samplings that detects values depending on the time. */
const apartMs = 5;

/**
 * Returns a hash of the first sessions' messages. It also covers modules imported by functions of the scenario, unlike
 * the plan's hash. `null` for a scenario whose messages are not reproducible.
 */
export async function sampleDigest(script: Script): Promise<string | null> {
  const first = digestOnce(script);
  await pass(apartMs);
  return first === digestOnce(script) ? first : null;
}

function digestOnce(script: Script): string | null {
  try {
    return digestOf(
      sampled.map((number) => {
        const session = planSession(script, number);
        const turns = Array.from({ length: session.foreseen }, (_, index) => index + 1);
        return turns.map((turn) => [session.message(turn), session.variableValues(turn) ?? null]);
      }),
    );
  } catch {
    // The run itself reports the function's error.
    return null;
  }
}
