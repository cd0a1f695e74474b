import { randomNormal } from 'd3-random';
import { ChatLoadError, messageOf } from '../base/errors.ts';
import { isUnsendable, sendableText } from '../base/json.ts';
import type { Ms } from '../base/time.ts';
import type { ValueScope } from '../scenario/compile-value.ts';
import type { SettledTurns } from '../scenario/turn-options.ts';
import { withGuardWords } from './guard-words.ts';
import { keyOf, randomOf, type Random } from '../base/random.ts';
import { sampleDuration } from './sample-duration.ts';
import type { Script, ScriptPart } from './script.ts';

/**
 * One session as it will be, derived from (seed, number) alone, when it is due: the same on any machine, whatever ran
 * before it. Turns are counted from 1.
 */
export interface SessionPlan {
  /** From 1. */
  readonly number: number;
  /** Index of its retry policy: sessions are dealt to the policies by number. */
  readonly policy: number;
  readonly turns: number;
  /** The text of a turn, with what the integrity guard adds to it. */
  message(turn: number): string;
  /** The turn's variable values as JSON text; `undefined` when the scenario has none. */
  variableValues(turn: number): string | undefined;
  /** The wait between the end of a turn and the next one. */
  thinkTime(afterTurn: number): Ms;
}

/** Derives session `number` of a script. Rejects, as the author's error, what a function of the scenario threw. */
export function planSession(script: Script, number: number): SessionPlan {
  return new DerivedSession(script, number);
}

const turnsKey = keyOf('turns');
const thinkTimeKey = keyOf('thinkTime');

class DerivedSession implements SessionPlan {
  readonly number: number;
  readonly policy: number;
  readonly turns: number;
  readonly #script: Script;
  readonly #scope: Scope;
  #values: { readonly turn: number; readonly json: string; readonly usesTurn: boolean } | undefined;

  constructor(script: Script, number: number) {
    this.number = number;
    this.policy = (number - 1) % script.policies;
    this.turns = drawTurns(script.turns, randomOf(script.seed, turnsKey, number));
    this.#script = script;
    this.#scope = new Scope(script, number);
  }

  message(turn: number): string {
    const parts = this.#script.messages;
    const part = parts[(turn - 1) % parts.length];
    if (part === undefined) throw new Error('a script has at least one message');
    if (this.#script.variables.length > 0) this.variableValues(turn);
    const text = this.#scope.renderText(part, turn);
    const { seed, guardWords: words } = this.#script;
    if (words === undefined) return text;
    return withGuardWords(text, { words, seed, session: this.number, turn, turns: this.turns });
  }

  variableValues(turn: number): string | undefined {
    if (this.#script.variables.length === 0) return undefined;
    if (this.#values === undefined || (this.#values.usesTurn && this.#values.turn !== turn)) this.#drawValues(turn);
    return this.#values?.json;
  }

  thinkTime(afterTurn: number): Ms {
    const distribution = this.#script.thinkTime;
    if (distribution.kind === 'constant') return distribution.ms;
    return sampleDuration(distribution, randomOf(this.#script.seed, thinkTimeKey, afterTurn, this.number))();
  }

  #drawValues(turn: number): void {
    this.#scope.usedTurn = false;
    // Key part 0 for every turn: a value's draws belong to the session, so they stay when only its turn number moves.
    const values = Object.fromEntries(
      this.#script.variables.map((part) => [part.name, this.#scope.render(part, turn, 0)]),
    );
    this.#scope.variables = values;
    this.#values = { turn, json: this.#scope.textOf(values), usesTurn: this.#scope.usedTurn };
  }
}

function wordKind(given: unknown): string {
  if (given === undefined) return 'nothing';
  if (given === '') return 'an empty text';
  if (Array.isArray(given)) return 'a list';
  if (given === null || typeof given === 'number') return String(given);
  return `a value of type ${typeof given}`;
}

/** What templates of one session see; one object a session, moved from part to part. */
class Scope implements ValueScope {
  readonly session: { readonly number: number };
  turn = { number: 0 };
  variables: Readonly<Record<string, unknown>> = {};
  usedTurn = false;
  readonly #script: Script;
  #stream: Random | undefined;
  #partKey = 0;
  #turnKey = 0;

  constructor(script: Script, number: number) {
    this.session = { number };
    this.#script = script;
  }

  render(part: ScriptPart, turn: number, turnKey: number): unknown {
    this.turn.number = turn;
    this.#stream = undefined;
    this.#partKey = part.key;
    this.#turnKey = turnKey;
    return this.#guarded(() => part.value.render(this));
  }

  /** The same of a message, which is a text that is not empty; a placeholder alone may give a number or a truth value. */
  renderText(part: ScriptPart, turn: number): string {
    const rendered = this.render(part, turn, turn);
    return this.#guarded(() => {
      const isSendable = rendered !== '' && !isUnsendable(rendered);
      if (isSendable && ['string', 'number', 'boolean'].includes(typeof rendered)) return String(rendered);
      throw new Error(`${part.path} gave ${wordKind(rendered)}: a message must be a text that is not empty`);
    });
  }

  /** JSON text of what was rendered: a function may have given what has none, or what throws when it is read. */
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

  pick(list: string): unknown {
    const rows = this.#script.lists[list] ?? [];
    const drawn = randomOf(this.#script.seed, keyOf(list), pickKey, this.session.number)();
    return rows[Math.floor(drawn * rows.length)];
  }
}

const pickKey = keyOf('pick');

function drawTurns(distribution: SettledTurns, random: Random): number {
  switch (distribution.kind) {
    case 'constant':
      return distribution.turns;
    case 'uniform':
      return distribution.min + Math.floor(random() * (distribution.max - distribution.min + 1));
    case 'normal':
      return Math.max(1, Math.round(randomNormal.source(random)(distribution.mean, distribution.sd)()));
    case 'weights':
      return drawFromRanges(distribution.ranges, random);
  }
}

function drawFromRanges(ranges: readonly { min: number; max: number; weight: number }[], random: Random): number {
  const total = ranges.reduce((sum, { weight }) => sum + weight, 0);
  let left = random() * total;
  const drawn = ranges.find(({ weight }) => (left -= weight) < 0) ?? ranges.at(-1);
  if (drawn === undefined) throw new Error('a weighted distribution has at least one range');
  return drawn.min + Math.floor(random() * (drawn.max - drawn.min + 1));
}

/** The mean number of turns a session, for forecasts. */
export function meanTurns(distribution: SettledTurns): number {
  switch (distribution.kind) {
    case 'constant':
      return distribution.turns;
    case 'uniform':
      return (distribution.min + distribution.max) / 2;
    case 'normal':
      return distribution.mean;
    case 'weights': {
      const total = distribution.ranges.reduce((sum, { weight }) => sum + weight, 0);
      return distribution.ranges.reduce((sum, { min, max, weight }) => sum + (weight * (min + max)) / 2 / total, 0);
    }
  }
}
