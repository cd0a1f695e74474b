import { isForeign, marksIn, tagOf, type Mark, type MarkKey } from '../../plan/guard-prompts.ts';
import type { SessionPlan } from '../../plan/session-plan.ts';
import type { Guard } from './guard.ts';

/** Differences between an agent's list of turns and the sent turns. Turns by number, each at most once. */
export interface ListFaults {
  lost: number[];
  duplicated: number[];
  reordered: number[];
  /** Turns that are repeated after an ambiguous retry, and were not reported before. */
  repeated: number;
  /** A turn of another session that is in it. */
  foreign: Mark | undefined;
}

/** Expected list: every turn up to `turn` was ok, because a failed one turns the guard off. */
interface SentTurns {
  guard: Guard;
  planned: SessionPlan;
  turn: number;
  ambiguous: AmbiguousTurns | undefined;
}

const noFaults: ListFaults = { lost: [], duplicated: [], reordered: [], repeated: 0, foreign: undefined };

/**
 * Reports whether a list can be compared with the sent turns. A passive guard identifies turns by their texts: if texts
 * recur, and a turn may correctly be listed twice, repeated and duplicated turns look the same.
 */
export function isComparable({ guard, planned, turn, ambiguous }: SentTurns): boolean {
  if (guard.isActive || ambiguous === undefined) return true;
  return new Set(Array.from({ length: turn }, (_, index) => planned.message(index + 1))).size === turn;
}

/** Returns the agent's list in `data` of a reply, if there is a usable one. */
export function turnList(data: unknown, { transcript, listedTurns }: Guard): readonly unknown[] | undefined {
  const list = transcript?.reduce<unknown>(
    (at, key) => (at as Record<string, unknown> | null | undefined)?.[key],
    data,
  );
  if (!Array.isArray(list)) return undefined;
  return list.length > 0 || (listedTurns ?? 0) > 0 ? (list as readonly unknown[]) : undefined;
}

/** Compares an agent's list of turns, which may contain only the latest ones, with the sent turns. */
export function compareTurns(list: readonly unknown[], sent: SentTurns): ListFaults {
  return isAsSent(list, sent) ? noFaults : faultsOf(list, sent);
}

/** The usual case, without parsing: the latest turns in sequence, and all of them if the list has room. */
function isAsSent(list: readonly unknown[], sent: SentTurns): boolean {
  const before = sent.turn - list.length;
  if (before < 0 || (before > 0 && hasRoom(list, sent.guard))) return false;
  return list.every((entry, index) => isTurn(textOf(entry), before + index + 1, sent));
}

function faultsOf(list: readonly unknown[], sent: SentTurns): ListFaults {
  const { turn, ambiguous } = sent;
  const { turns, foreign } = identify(list, sent);
  const first = hasRoom(list, sent.guard) ? 1 : turns.reduce((min, each) => Math.min(min, each), turn);
  const faults: ListFaults = { lost: [], duplicated: [], reordered: reordered(turns, ambiguous), repeated: 0, foreign };
  for (let at = first; at <= turn; at++) {
    const copies = turns.filter((each) => each === at).length;
    const ambiguousCopies = ambiguous?.of(at) ?? 0;
    if (copies === 0) faults.lost.push(at);
    else if (copies > 1 + ambiguousCopies) faults.duplicated.push(at);
    if (copies > 1) faults.repeated += ambiguous?.report(at, Math.min(copies - 1, ambiguousCopies)) ?? 0;
  }
  return faults;
}

/** Reports whether the list has room for more turns. */
const hasRoom = (list: readonly unknown[], { listedTurns }: Guard): boolean =>
  listedTurns !== undefined && list.length < listedTurns;

/** Returns turns listed after a later one; a retried turn may arrive late. */
function reordered(turns: readonly number[], ambiguous: AmbiguousTurns | undefined): number[] {
  const seen = new Set<number>();
  const late: number[] = [];
  let latest = 0;
  for (const turn of turns) {
    if (seen.has(turn) || (ambiguous?.of(turn) ?? 0) > 0) continue;
    seen.add(turn);
    if (turn < latest) late.push(turn);
    else latest = turn;
  }
  return late;
}

/** Returns the turn of every entry, identified from the end; entries of no turn of this run are skipped. */
function identify(list: readonly unknown[], sent: SentTurns): { turns: number[]; foreign: Mark | undefined } {
  const turns: number[] = [];
  let foreign: Mark | undefined;
  let next = sent.turn;
  for (const entry of list.toReversed()) {
    const mark = sent.guard.isActive ? lastTag(textOf(entry), sent.guard) : undefined;
    if (mark !== undefined && isForeign(mark, sent.planned.number)) foreign = mark;
    const turn = sent.guard.isActive ? ownTurn(mark, sent) : turnWithText(textOf(entry), next, sent);
    if (turn === undefined) continue;
    turns.push(turn);
    next = turn - 1;
  }
  return { turns: turns.toReversed(), foreign };
}

const lastTag = (text: string, key: MarkKey): Mark | undefined =>
  marksIn(text, key).findLast(({ kind }) => kind === 'tag');

const ownTurn = (mark: Mark | undefined, { planned, turn }: SentTurns): number | undefined =>
  mark !== undefined && !isForeign(mark, planned.number) && mark.turn <= turn ? mark.turn : undefined;

/**
 * Returns the turn with this text: the expected turn, otherwise the nearest earlier one, the next one, or any. If texts
 * recur, it may be another turn, but the problem remains visible.
 */
function turnWithText(text: string, expected: number, sent: SentTurns): number | undefined {
  const before = Array.from({ length: Math.max(0, expected - 1) }, (_, index) => expected - 1 - index);
  const after = Array.from({ length: sent.turn - expected - 1 }, (_, index) => expected + 2 + index);
  return [expected, ...before, expected + 1, ...after].find(
    (turn) => turn >= 1 && turn <= sent.turn && isTurn(text, turn, sent),
  );
}

const isTurn = (text: string, turn: number, { guard, planned }: SentTurns): boolean =>
  guard.isActive ? text.includes(tagOf(guard, planned.number, turn)) : text === planned.message(turn);

function textOf(entry: unknown): string {
  if (typeof entry === 'string') return entry;
  const message = (entry as { message?: unknown } | null | undefined)?.message;
  return typeof message === 'string' ? message : '';
}

/** The turns of a session that the agent may list more than once: an attempt failed whose work may have been done. */
export class AmbiguousTurns {
  readonly #turns = new Map<number, { attempts: number; repeatsReported: number }>();

  add(turn: number): void {
    const known = this.#turns.get(turn);
    if (known === undefined) this.#turns.set(turn, { attempts: 1, repeatsReported: 0 });
    else known.attempts++;
  }

  /** Returns how many times the turn may be listed besides the first. */
  of(turn: number): number {
    return this.#turns.get(turn)?.attempts ?? 0;
  }

  /** Returns the number of a turn's repeats that have not been reported yet, and marks them as reported. */
  report(turn: number, repeats: number): number {
    const known = this.#turns.get(turn);
    if (known === undefined || repeats <= known.repeatsReported) return 0;
    const fresh = repeats - known.repeatsReported;
    known.repeatsReported = repeats;
    return fresh;
  }
}
