import { hashOf } from '../../base/random.ts';
import type { ResolvedEmbedded } from '../../scenario/embedded.ts';
import { randomUUID } from 'node:crypto';

/** Minimum part of a limit for one process; a smaller part would not represent the whole. */
const minSessions = 500;
const minCharacters = 1_000_000;

/**
 * Returns the names of settings that only one process can keep for the whole service: a slot in one queue, a bucket of
 * tokens, a count of earlier operations. Without any, every process has its own sessions.
 */
export function undividedSettings(options: ResolvedEmbedded, processes: number): string[] {
  const counted = options.faults.some(({ strikes, effect }) => strikes.by !== 'share' && effect.kind !== 'freeze');
  const undivided = {
    capacity: options.capacity !== null,
    rateLimit: options.rateLimit !== null,
    'faults by every or first': counted,
    sabotage: options.sabotage.length > 0,
    [`maxSessions below ${String(minSessions)} per process`]: options.maxSessions < minSessions * processes,
    [`maxStoredCharacters below ${String(minCharacters)} per process`]:
      options.maxStoredCharacters < minCharacters * processes,
  };
  return Object.entries(undivided).flatMap(([name, isSo]) => (isSo ? [name] : []));
}

/**
 * Returns the settings of one of several processes: its part of each limit, so that the parts add up to no more than
 * the whole, and its own seed. The first process keeps the seed, so that it draws like a single process if it has all
 * sessions.
 */
export function dealOptions(
  options: ResolvedEmbedded,
  { index, owners }: { index: number; owners: number },
): ResolvedEmbedded {
  return {
    ...options,
    seed: index === 0 ? options.seed : hashOf([options.seed, index]) >>> 0,
    maxSessions: partOf(options.maxSessions, index, owners),
    maxStoredCharacters: partOf(options.maxStoredCharacters, index, owners),
  };
}

/** Returns one of the parts of a whole number; the remainder goes to the first parts. */
const partOf = (whole: number, index: number, parts: number): number =>
  Math.floor(whole / parts) + (index < whole % parts ? 1 : 0);

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
