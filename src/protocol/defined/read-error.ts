import { errorClassNames, type ErrorClass } from '../outcome.ts';
import { unknownName } from '../../base/unknown-name.ts';
import { AuthorError, callAuthor } from './author-error.ts';
import type { ApiDefinition } from './definition.ts';

/** The class that the author gives a response; `undefined`: the status decides. Throws `AuthorError`. */
export type ReadError = (status: number, body: unknown) => ErrorClass | undefined;

export function errorReader({ errors }: Pick<ApiDefinition, 'errors'>): ReadError {
  if (errors === undefined) return () => undefined;
  return (status, body) => {
    const given: unknown = callAuthor('errors', () => errors(status, body));
    return given === undefined || given === null ? undefined : errorClass('errors', given);
  };
}

/** What a function gave as a class of errors. */
export function errorClass(name: string, given: unknown): ErrorClass {
  const known = errorClassNames.find((each) => each === given);
  if (known !== undefined) return known;
  const said = typeof given === 'string' ? unknownName('class', given, errorClassNames) : 'no class of errors';
  throw new AuthorError(name, `gave ${said}`);
}
