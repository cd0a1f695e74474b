import { forkResponder, type Responder } from './fork-responder.ts';

/** Starts a process that answers every turn at once with the same words: so that only the generator limits. */
export function startResponder(): Promise<Responder> {
  return forkResponder('responder-process');
}
