import type { Ms } from '../../base/time.ts';
import { isForeign, marksIn } from '../../plan/guard-prompts.ts';
import type { SessionPlan } from '../../plan/session-plan.ts';
import { isBlank } from '../../protocol/empty-reply.ts';
import type { Reply } from '../../protocol/protocol.ts';
import { checkNames, type CheckName, type Finding, type TurnFaults, newRecall, type Recall } from './finding.ts';
import { areOwn, checks, isTag, describeForeign, type Look, restartedText, valuesOf } from './checks.ts';
import { AmbiguousTurns, compareTurns, isComparable, turnList, type ListFaults } from './turn-list.ts';
import type { Guard } from './guard.ts';

/**
 * Checks the replies of one session, as long as its turns are ok. Sent messages can be derived from the seed again, so
 * little is stored: the last reply, the time of the latest repeat of the code, and the turns that were
 * retried with an unknown outcome.
 */
export class SessionGuard {
  readonly #guard: Guard;
  readonly #planned: SessionPlan;
  /** Id of the last reply. */
  #lastId: string | undefined;
  /** Text of the last reply with an id; of a long one, its hash. */
  #lastText: string | number = '';
  /** `undefined` while only ok turns have happened since turn 1. */
  #recall: Recall | undefined;
  #ambiguous: AmbiguousTurns | undefined;

  constructor(guard: Guard, planned: SessionPlan) {
    this.#guard = guard;
    this.#planned = planned;
  }

  /** Begins a turn with its values; called before its first send. */
  begins(turn: number): void {
    const { variables, register } = this.#guard;
    if (variables.length === 0) return;
    const session = this.#planned.number;
    for (const { name, text } of valuesOf(this.#planned, turn, variables)) register.note(text, { session, name });
  }

  /** Records the idle time before a turn. */
  waited(idleMs: Ms): void {
    if (!this.#guard.isActive || idleMs <= (this.#recall?.idleMs ?? 0)) return;
    (this.#recall ??= newRecall()).idleMs = idleMs;
  }

  /** Records an attempt that was not ok. If it is not retried, the guard is not called again. */
  attemptFailed(turn: number, isAmbiguous: boolean): void {
    if (isAmbiguous) (this.#ambiguous ??= new AmbiguousTurns()).add(turn);
    if (this.#guard.isActive) (this.#recall ??= newRecall()).retries++;
  }

  /** Applies the checks to a conforming reply, one after another, until one fails. `sessionId`: as the service named it. */
  examine(turn: number, reply: Reply, sessionId?: string): Finding {
    const look = this.#look(turn, reply, sessionId);
    const checked: CheckName[] = [];
    let failed: CheckName | undefined;
    let detail = '';
    for (const { name, check } of orderedChecks) {
      const wrong = check(look);
      if (wrong === undefined) continue;
      checked.push(name);
      if (wrong === '') {
        if (name === 'continuity' || name === 'amnesia') this.#recall = { ...newRecall(), sinceTurn: turn };
        continue;
      }
      failed = name;
      detail = wrong;
      break;
    }
    return {
      checked,
      failed,
      detail,
      untagged: look.isUntagged,
      recall: failed === 'continuity' || failed === 'amnesia' ? look.recall : undefined,
      turnFaults: checked.includes('turns') ? turnFaultsOf(look.list) : undefined,
      afterAmbiguousRetry: this.#ambiguous !== undefined,
    };
  }

  /** Checks a partial reply for text of another session; `undefined`: none. */
  examinePart(text: string): Finding | undefined {
    const marks = this.#guard.isActive ? marksIn(text, this.#guard) : [];
    const foreign = marks.find((mark) => isForeign(mark, this.#planned.number));
    return foreign && this.#failed('leakage', `a part of a reply ${describeForeign(foreign)}`);
  }

  /** Returns the finding on a reply that names another session than its request. */
  restarted(): Finding {
    return this.#failed('restarted', restartedText(this.#guard));
  }

  #failed(name: CheckName, detail: string): Finding {
    return {
      checked: ['answered', name],
      failed: name,
      detail,
      untagged: false,
      recall: undefined,
      turnFaults: undefined,
      afterAmbiguousRetry: this.#ambiguous !== undefined,
    };
  }

  /** Reports whether the id and the text of a reply are those of the previous one; `undefined`: one of them has no id. */
  #isSameAsBefore({ id: given, text }: Reply, sessionId: string | undefined): boolean | undefined {
    // The id of the session does not identify a reply.
    const id = given === sessionId ? undefined : given;
    const lastId = this.#lastId;
    const lastText = this.#lastText;
    this.#lastId = id;
    if (id === undefined) return undefined;
    const { ids } = this.#guard;
    if (!ids.isDecided) ids.note(fingerprint(id), this.#planned.number);
    this.#lastText = text.length > maxKeptText ? fingerprint(text) : text;
    if (lastId === undefined) return undefined;
    return ids.areUnique && id === lastId && this.#lastText === lastText;
  }

  #look(turn: number, reply: Reply, sessionId: string | undefined): Look & { isUntagged: boolean } {
    const [guard, planned] = [this.#guard, this.#planned];
    const isSameReply = this.#isSameAsBefore(reply, sessionId);
    const list = turnList(reply.data, guard);
    const record = { guard, planned, turn, ambiguous: this.#ambiguous };
    const marks = guard.isActive ? marksIn(reply.text, guard) : [];
    const hasTag = marks.some(isTag);
    // A blank reply does not show whether the agent repeats.
    const isExpected = guard.isActive && !isBlank(reply.text);
    const isHeld = isExpected && guard.echo.holds(hasTag);
    return {
      guard,
      planned,
      turn,
      reply: reply.text,
      whole: reply,
      isRestarted: reply.isRestarted,
      marks,
      areMarksOwn: areOwn(marks, planned.number, turn),
      isHeld,
      isUntagged: isExpected && !isHeld && !hasTag,
      isSameReply,
      list: list !== undefined && isComparable(record) ? compareTurns(list, record) : undefined,
      recall: this.#recall ?? untouched,
    };
  }
}

const orderedChecks = checkNames.map((name) => ({ name, check: checks[name] }));

/** Maximum length of a text that is kept until the next reply. */
const maxKeptText = 2048;

const untouched: Readonly<Recall> = newRecall();

function turnFaultsOf(list: ListFaults | undefined): TurnFaults | undefined {
  if (list === undefined) return undefined;
  const { lost, duplicated, reordered, repeated } = list;
  const faults = { lost: lost.length, duplicated: duplicated.length, reordered: reordered.length, repeated };
  return faults.lost + faults.duplicated + faults.reordered + faults.repeated === 0 ? undefined : faults;
}

/** Returns a whole number below 2^53 for a text: a fingerprint that is stored instead of the text. */
function fingerprint(text: string): number {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    low = Math.imul(low ^ code, 0x9e3779b1);
    high = Math.imul(high ^ code, 0x5f356495);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0) + 1;
}
