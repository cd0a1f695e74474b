import { types } from 'node:util';

/** Remedy for a promise, as the end of a sentence. */
export const promiseWords = 'but a run does not wait for promises: await its values at the top of the scenario file';

/** Returns the problem with a value of a scenario; `undefined` if it is neither a promise nor a function that certainly returns one. */
export function promiseProblem(value: unknown): string | undefined {
  if (types.isAsyncFunction(value)) return `is an async function: it returns a promise, ${promiseWords}`;
  return isPromise(value) ? `is a promise, ${promiseWords}` : undefined;
}

/**
 * Reports whether a returned value is a promise. On the hot path: anything but an object costs one comparison. A later
 * rejection is ignored, so that it does not end the process.
 */
export function isPromise(given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return false;
  if (types.isPromise(given)) {
    void Promise.prototype.then.call(given, undefined, () => undefined);
    return true;
  }
  return 'then' in given && typeof given.then === 'function';
}

/** Reports whether a value contains a promise at any depth. Cyclic values are visited once; sending reports them. */
export function holdsPromise(given: unknown): boolean {
  return typeof given === 'object' && given !== null && looksIn(given, new Set());
}

function looksIn(given: object, seen: Set<object>): boolean {
  if (isPromise(given)) return true;
  seen.add(given);
  return Object.values(given).some(
    (part: unknown) => typeof part === 'object' && part !== null && !seen.has(part) && looksIn(part, seen),
  );
}
