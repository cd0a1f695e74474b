import { isUnsendable } from '../base/json.ts';
import type { TemplateContext, ValueTemplate } from './scenario-values.ts';
import { compileTemplate, type KnownNames, type TemplateScope } from './template.ts';
import { holdsPromise, promiseWords } from '../base/promise.ts';

/** A rendered part of a scenario (text, value or function), compiled once. */
export interface CompiledValue {
  /** Returns the value for a session at a turn. */
  render(scope: TemplateScope): unknown;
  /** The value if it is the same for all: text without placeholders, or not text. Not set for lists and objects. */
  readonly constant?: unknown;
}

export interface ScenarioProblem {
  /** Dotted path in the scenario file. */
  path: string;
  message: string;
}

/** Compiles a value with all nested templates; adds problems with their paths to `problems`. */
export function compileValue(
  value: unknown,
  path: string,
  at: { known: KnownNames; problems: ScenarioProblem[] },
): CompiledValue {
  if (typeof value === 'string') return compileText(value, path, at);
  if (typeof value === 'function') return compileFunction(value as TemplateFunction, path);
  if (Array.isArray(value)) {
    const items = value.map((item, index) => compileValue(item, `${path}[${String(index)}]`, at));
    return { render: (scope) => items.map((item) => item.render(scope)) };
  }
  if (typeof value === 'object' && value !== null)
    return compileObject(value as Record<string, ValueTemplate>, path, at);
  if (value === undefined || typeof value === 'bigint' || typeof value === 'symbol')
    at.problems.push({ path, message: `a ${typeof value} cannot be sent as JSON` });
  if (isUnsendable(value)) at.problems.push({ path, message: `${String(value)} cannot be sent as JSON` });
  return { render: () => value, constant: value };
}

type At = { known: KnownNames; problems: ScenarioProblem[] };

function compileText(text: string, path: string, at: At): CompiledValue {
  const template = compileTemplate(text, at.known);
  if (!('problems' in template)) return template;
  at.problems.push(...template.problems.map((message) => ({ path, message })));
  return { render: () => text };
}

type TemplateFunction = (context: TemplateContext) => unknown;

function compileFunction(call: TemplateFunction, path: string): CompiledValue {
  return {
    render: (scope) => {
      const made = call(watchTurn(scope));
      if (holdsPromise(made)) throw new Error(`${path} returned a promise, ${promiseWords}`);
      return made;
    },
  };
}

/** Returns a scope whose `turn` records that it was read: a value that depends on the turn is rendered for every turn. */
function watchTurn(scope: TemplateScope): TemplateContext {
  return {
    session: scope.session,
    run: scope.run,
    get turn() {
      scope.noteTurn();
      return scope.turn;
    },
    random: () => scope.random(),
    pick: (list) => scope.pick(list),
    variables: scope.variables,
  } as TemplateContext;
}

function compileObject(value: Readonly<Record<string, ValueTemplate>>, path: string, at: At): CompiledValue {
  const fields = Object.entries(value).map(
    ([key, field]) => [key, compileValue(field, path === '' ? key : `${path}.${key}`, at)] as const,
  );
  return {
    render: (scope) => Object.fromEntries(fields.map(([key, field]) => [key, field.render(scope)])),
  };
}
