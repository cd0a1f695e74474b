import { messageOf, ChatLoadError } from '../../base/errors.ts';
import { holdsPromise, promiseWords } from '../../base/promise.ts';

/** What is wrong with a function of a definition, or with what it gave. */
export class AuthorError extends Error {
  /** The function's path in the scenario. */
  readonly place: string;
  readonly problem: string;

  constructor(name: string, problem: string) {
    const place = `target.protocol.${name}`;
    super(`${place} ${problem}`);
    this.place = place;
    this.problem = problem;
  }
}

/** Calls a function of a definition. What it throws, and a promise, is its error. `name` is its path in the definition. */
export function callAuthor<Gives>(name: string, call: () => Gives): Gives {
  const given = attempt(name, call);
  if (holdsPromise(given)) throw new AuthorError(name, `returned a promise, ${promiseWords}`);
  return given;
}

function attempt<Gives>(name: string, call: () => Gives): Gives {
  try {
    return call();
  } catch (thrown) {
    // The message of JSON.parse quotes the text.
    throw new AuthorError(name, `threw ${thrown instanceof SyntaxError ? 'a SyntaxError' : messageOf(thrown)}`);
  }
}

/** The error that ends a run when a function of a definition could not make a request. */
export function scenarioError({ place, problem }: AuthorError, where = ''): ChatLoadError {
  return new ChatLoadError('usage', {
    message: `The function ${place} of the scenario failed${where}: it ${problem}`,
    hint: `Fix ${place} in the scenario file; docs/reference/protocols.md says what it is given and what it gives.`,
  });
}
