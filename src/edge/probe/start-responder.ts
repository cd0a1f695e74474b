import { forkResponder, type Responder } from './fork-responder.ts';

/** Starts a process that answers every turn at once with the same words: against it the generator is the only limit. */
export function startResponder(): Promise<Responder> {
  return forkResponder('responder-process');
}
