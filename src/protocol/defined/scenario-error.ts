import { ChatLoadError } from '../../base/errors.ts';
import type { AuthorError } from './author-error.ts';

/** The error that ends a run when a function of a definition could not make a request. */
export function scenarioError({ place, problem }: AuthorError, where = ''): ChatLoadError {
  return new ChatLoadError('usage', {
    message: `The function ${place} of the scenario failed${where}: it ${problem}`,
    hint: `Fix ${place} in the scenario file; docs/protocols.md says what it is given and what it gives.`,
  });
}
