import { randomUUID } from 'node:crypto';

/** Maximum number of processes of one service: an id contains the number of its owner. */
export const maxProcesses = 64;

const nodeDigits = 34;

/** Returns a session id that names its process: a random UUID (version 4) whose last two digits are the process's number. */
export function newSessionId(owner: number): string {
  return randomUUID().slice(0, nodeDigits) + owner.toString(16).padStart(2, '0');
}

/** Returns the process that has a session, if the session exists; `undefined` if no process assigned this id. */
export function ownerOf(sessionId: string, owners: number): number | undefined {
  const owner = sessionId.length === nodeDigits + 2 ? Number(`0x${sessionId.slice(nodeDigits)}`) : NaN;
  return owner < owners ? owner : undefined;
}
