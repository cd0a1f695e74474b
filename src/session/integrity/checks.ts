import { type Mark, asksBack, isForeign } from '../../plan/guard-prompts.ts';
import type { SessionPlan } from '../../plan/session-plan.ts';
import { type CheckName, describeRecall, type Recall } from './finding.ts';
import { isBlank } from '../../protocol/empty-reply.ts';
import type { Reply } from '../../protocol/protocol.ts';
import { isCutShort } from './cut-short.ts';
import type { Guard } from './guard.ts';
import type { ListFaults } from './turn-list.ts';
import { holdsValue } from './value-register.ts';
import { jsonText } from '../../base/json.ts';

/** Input of the checks for one reply. */
export interface Look {
  guard: Guard;
  planned: SessionPlan;
  turn: number;
  /** The whole reply. */
  whole: Pick<Reply, 'toolCalls' | 'data'>;
  reply: string;
  /** True if the service returned another session id than it was sent. */
  isRestarted: boolean | undefined;
  /** The tags and codes in it; none with a passive guard. */
  marks: readonly Mark[];
  /** True if all of them belong to this session, and the tags to this turn, as in nearly all replies. */
  areMarksOwn: boolean;
  /** True if it must contain its tag, and the code if requested: the guard is active and the agent repeats tags. */
  isHeld: boolean;
  /** True if its id and its text equal those of the previous reply; `undefined`: there was no previous reply with an id. */
  isSameReply: boolean | undefined;
  /** Problems of the agent's list of turns; `undefined`: there is no list to check. */
  list: ListFaults | undefined;
  recall: Readonly<Recall>;
}

/** Describes a reply that names another session than its request. */
export function restartedText(guard: Guard): string {
  return `the service returned another session id than it was sent: it began another conversation${cookieHint(guard)}`;
}

/** Describes the problem; '' if there is none, `undefined` if the check does not apply to this reply. */
type Check = (look: Look) => string | undefined;

/** The checks by name; they are made in the order of `checkNames`. */
export const checks: Readonly<Record<CheckName, Check>> = {
  answered: ({ reply, whole, marks, isHeld }) => {
    if (isBlank(reply)) return isIncomplete(whole) ? '' : 'the reply is empty';
    return isHeld && !marks.some(isTag) && !isIncomplete(whole) ? 'the reply does not repeat its tag' : '';
  },
  restarted: ({ isRestarted, guard }) => {
    if (isRestarted === undefined) return undefined;
    return isRestarted ? restartedText(guard) : '';
  },
  crossed: ({ marks, areMarksOwn, isHeld, planned, turn }) => {
    if (areMarksOwn) return isHeld ? '' : undefined;
    const foreign = marks.find((mark) => isTag(mark) && isForeign(mark, planned.number));
    if (foreign === undefined || marks.some(isTagOf(planned, turn))) return isHeld ? '' : undefined;
    return `the reply belongs to turn ${String(foreign.turn)} of ${sessionOf(foreign)}`;
  },
  stale: ({ marks, areMarksOwn, isHeld, planned, turn, isSameReply }) => {
    if (isSameReply === true) return 'the reply has the id and the text of the previous reply';
    const earlier = areMarksOwn ? undefined : earlierTag(marks, planned, turn);
    if (earlier === undefined) return isHeld || isSameReply !== undefined ? '' : undefined;
    return `the reply belongs to turn ${String(earlier.turn)}`;
  },
  placeholder: ({ reply, planned, turn }) => {
    if (!reply.includes('{{')) return '';
    const variables = Object.keys(JSON.parse(planned.variableValues(turn) ?? '{}') as object);
    const left = unfilledIn(reply, variables).some((text) => !wasSaid({ text, holds: includes }, planned, turn));
    return left ? 'the reply contains a {{placeholder}} that was not filled in' : '';
  },
  variables: ({ guard, planned, turn, reply }) => {
    if (guard.variables.length === 0) return undefined;
    const missing = valuesOf(planned, turn, guard.variables).filter(({ text }) => !reply.includes(text));
    if (missing.length > 0) return `the reply lacks the value of ${missing.map(({ name }) => name).join(', ')}`;
    const isExcused = (value: string): boolean => wasSaid({ text: value, holds: holdsValue }, planned, turn);
    const foreign = guard.register.findForeign(reply, planned.number, isExcused);
    return foreign === undefined ? '' : `the reply contains ${foreign.name} of session ${String(foreign.session)}`;
  },
  leakage: ({ marks, areMarksOwn, isHeld, planned, list }) => {
    const foreign = (areMarksOwn ? undefined : marks.find((mark) => isForeign(mark, planned.number))) ?? list?.foreign;
    if (foreign === undefined) return isHeld ? '' : undefined;
    return `the reply ${describeForeign(foreign)}`;
  },
  turns: ({ list, guard }) => {
    if (list === undefined) return undefined;
    const { lost, duplicated, reordered } = list;
    const found = [
      describeTurns(lost, 'missing from'),
      describeTurns(duplicated, 'more than once in'),
      describeTurns(reordered, 'out of order in'),
    ].filter((text) => text !== '');
    return found.join('; ') + (lost.length > 0 ? cookieHint(guard) : '');
  },
  continuity: (look) => (isAmnesia(look) ? undefined : recallOf(look)),
  amnesia: (look) => (isAmnesia(look) ? recallOf(look) : undefined),
};

/** Reports whether a reply may lack text, tag and code: it calls tools, or a limit of tokens cut it off. */
function isIncomplete({ toolCalls, data }: Look['whole']): boolean {
  return (toolCalls?.length ?? 0) > 0 || isCutShort(data);
}

/** Reports text that belongs to another session. */
export function describeForeign(mark: Mark): string {
  const { kind, turn } = mark;
  return `contains ${kind === 'code' ? 'the code' : `turn ${String(turn)}`} of ${sessionOf(mark)}`;
}

const sessionOf = ({ session, isOfOtherRun }: Mark): string =>
  `session ${String(session)}${isOfOtherRun ? ' of an earlier run' : ''}`;

const includes = (reply: string, text: string): boolean => reply.includes(text);

export function isTag({ kind }: Mark): boolean {
  return kind === 'tag';
}

const isTagOf =
  ({ number }: SessionPlan, turn: number) =>
  (mark: Mark): boolean =>
    isTag(mark) && isOwn(mark, number, turn);

/** Reports whether a mark belongs to a session, and a tag to its turn. */
function isOwn(mark: Mark, session: number, turn: number): boolean {
  return !isForeign(mark, session) && (mark.turn === turn || !isTag(mark));
}

/** A plain loop, because it runs for every reply. */
export function areOwn(marks: readonly Mark[], session: number, turn: number): boolean {
  for (const mark of marks) if (!isOwn(mark, session, turn)) return false;
  return true;
}

/** Returns the tag of an earlier turn of the session, unless that of the turn is there, too. */
function earlierTag(marks: readonly Mark[], planned: SessionPlan, turn: number): Mark | undefined {
  if (marks.some(isTagOf(planned, turn))) return undefined;
  return marks.find((mark) => isTag(mark) && !isForeign(mark, planned.number));
}

/** Reports whether the session itself has sent a text, which its agent may repeat. */
function wasSaid({ text, holds }: Sought, planned: SessionPlan, turn: number): boolean {
  for (let at = turn; at >= 1; at--)
    if (holds(planned.message(at), text) || holds(planned.variableValues(at) ?? '', text)) return true;
  return false;
}

interface Sought {
  text: string;
  holds: (reply: string, text: string) => boolean;
}

const isAmnesia = ({ guard, recall }: Look): boolean => recall.idleMs >= guard.amnesiaMs;

function recallOf({ guard, isHeld, whole, planned, turn, marks, recall }: Look): string | undefined {
  if (!isHeld || !asksBack(turn, planned.turns)) return undefined;
  const isThere = marks.some((mark) => mark.kind === 'code' && !isForeign(mark, planned.number));
  if (!isThere && isIncomplete(whole)) return undefined;
  return isThere ? '' : describeRecall(recall, turn) + cookieHint(guard);
}

/** Names a probable cause of forgotten conversations. */
const cookieHint = ({ ignoresCookies }: Guard): string =>
  ignoresCookies ? '; the service sets a cookie that is not sent back: set cookies: true' : '';

function describeTurns(turns: readonly number[], what: string): string {
  if (turns.length === 0) return '';
  const named = turns.slice(0, maxListed).map(String).join(', ') + (turns.length > maxListed ? ', ...' : '');
  const isOne = turns.length === 1;
  return `turn${isOne ? '' : 's'} ${named} ${isOne ? 'is' : 'are'} ${what} the agent's list of turns`;
}

const maxListed = 10;

/**
 * Returns placeholders that could be unfilled variables, each once, as written: names that begin with a known variable,
 * and any other lone name outside quoted code. Anything else in double braces (`{{#if}}`, `{{ user.name | upper }}`) is
 * a template language that the agent writes about.
 */
function unfilledIn(text: string, variables: readonly string[]): string[] {
  const known = placeholdersIn(text, (inner) => variables.includes(firstName.exec(inner)?.[0] ?? ''));
  return [...new Set([...known, ...placeholdersIn(text.replace(quotedCode, ''), isLone)])];
}

const placeholder = /(?<!\{)\{\{([^{}]{1,200})\}\}(?!\})/g;
const firstName = /^[\p{L}_][\p{L}\p{N}_-]*/u;
const loneName = /^[\p{L}_][\p{L}\p{N}_-]*$/u;
/** Keywords of template languages that look like names. */
const keywords: readonly string[] = ['else', 'end', 'this'];
/** Between backticks, or from a fence to the next one. */
const quotedCode = /```[^]*?(?:```|$)|`[^`\n]*`/g;

const placeholdersIn = (text: string, isOne: (inner: string) => boolean): string[] =>
  [...text.matchAll(placeholder)].flatMap(([whole, inner = '']) => (isOne(inner.trim()) ? [whole] : []));

const isLone = (inner: string): boolean => loneName.test(inner) && !keywords.includes(inner);

/** Returns the values of some variables in a turn, as a reply would contain them. */
export function valuesOf(
  planned: SessionPlan,
  turn: number,
  names: readonly string[],
): { name: string; text: string }[] {
  const values = JSON.parse(planned.variableValues(turn) ?? '{}') as Readonly<Record<string, unknown>>;
  return names.map((name) => ({ name, text: textOf(values[name]) }));
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (jsonText(value) ?? ''));
