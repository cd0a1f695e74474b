import { randomUUID } from 'node:crypto';

/** The most processes of one service: an id has room for the number of its owner. */
export const maxProcesses = 64;

const nodeDigits = 34;

/** A session id that says which process has the session: a random UUID (version 4) whose last two digits are its number. */
export function newSessionId(owner: number): string {
  return randomUUID().slice(0, nodeDigits) + owner.toString(16).padStart(2, '0');
}

/** The process that has a session, if there is such a session; `undefined` where no process gave this id. */
export function ownerOf(sessionId: string, owners: number): number | undefined {
  const owner = sessionId.length === nodeDigits + 2 ? Number(`0x${sessionId.slice(nodeDigits)}`) : NaN;
  return owner < owners ? owner : undefined;
}
