import { messageOf, ChatLoadError } from '../../base/errors.ts';
import { holdsPromise, promiseWords } from '../../base/promise.ts';
import { valueAt } from '../../base/is-object.ts';
import type { HeaderFields } from '../protocol.ts';
import { describeKind, describeFound } from '../describe-found.ts';
import type { EventPath, ValuePath } from './definition.ts';
import { hasWildcard, textsAt } from './wildcard.ts';

/** A fault of a function of a definition, or of its result. */
export class AuthorError extends Error {
  /** The function's path in the scenario. */
  readonly path: string;
  readonly problem: string;

  constructor(name: string, problem: string) {
    const path = `target.protocol.${name}`;
    super(`${path} ${problem}`);
    this.path = path;
    this.problem = problem;
  }
}

/** Calls a function of a definition, which may neither throw nor return a promise. `name` is its path in the definition. */
export function callAuthor<Result>(name: string, call: () => Result): Result {
  const given = attempt(name, call);
  if (holdsPromise(given)) throw new AuthorError(name, `returned a promise, ${promiseWords}`);
  return given;
}

function attempt<Result>(name: string, call: () => Result): Result {
  try {
    return call();
  } catch (thrown) {
    // The message of JSON.parse quotes the text.
    throw new AuthorError(name, `threw ${thrown instanceof SyntaxError ? 'a SyntaxError' : messageOf(thrown)}`);
  }
}

/** Returns the error that ends a run if a function of a definition failed to make a request. */
export function scenarioError({ path, problem }: AuthorError, where = ''): ChatLoadError {
  return new ChatLoadError('usage', {
    message: `The function ${path} of the scenario failed${where}: it ${problem}`,
    hint: `Fix ${path} in the scenario file; docs/reference/protocols.md describes its parameters and its result.`,
  });
}

/** Finds a value in a response by its path, header field or function. */
export interface Finder {
  /** `type` is the type of an event. Throws `AuthorError`. */
  find(body: unknown, more?: { headers?: HeaderFields | undefined; type?: string }): unknown;
  /** Describes the value found instead of the required one, as the end of a sentence. */
  describe(body: unknown, found: unknown): string;
}

/** Returns a function that finds a value in a response; `name`: path of the field in the definition. */
export function finderOf(name: string, path: ValuePath | EventPath): Finder {
  if (typeof path === 'string') return atPath(path);
  if (typeof path !== 'function') return inHeader(path.header.toLowerCase());
  return {
    find: (body, { type = '' } = {}) => callAuthor(name, () => path(body, type)),
    describe: (_, found) =>
      `: target.protocol.${name} returned ${found === undefined ? 'nothing' : `a value that is ${describeKind(found)}`}`,
  };
}

function atPath(dotted: string): Finder {
  const path = dotted.split('.');
  if (hasWildcard(path)) return { find: (body) => textsAt(body, path), describe: describeFirst(dotted) };
  return {
    find: (body) => valueAt(body, path),
    describe: (body) => ` at ${dotted}: ${describeFound(body, path)}`,
  };
}

/** Describes a wrong value, or the first entry of each list. */
const describeFirst = (dotted: string) => {
  const first = dotted.split('.').map((key) => (key === '*' ? '0' : key));
  return (body: unknown, found: unknown): string =>
    ` at ${dotted}: ${found === undefined ? describeFound(body, first) : `that is ${describeKind(found)}`}`;
};

const inHeader = (name: string): Finder => ({
  find: (_, { headers = {} } = {}) => headers[name],
  describe: () => ` in the header field ${name}`,
});
