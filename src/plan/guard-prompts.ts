import type { IntegrityPlan } from './plan.ts';
import { hashOf, keyOf } from '../base/random.ts';

/** Source of the tags and codes of a run. */
export interface MarkKey {
  readonly seed: number;
  /** Text that is different in every run, so that nothing that a service keeps from an earlier one looks right. */
  readonly salt: string;
}

/** A tag or a code of this run or another one, found in a text; it identifies its session. */
export interface Mark {
  kind: 'tag' | 'code';
  /** Session that it belongs to, from 1. */
  session: number;
  /** The turn that a tag belongs to, from 1; 0 for a code. */
  turn: number;
  /** True if it was sent by another run. */
  isOfOtherRun: boolean;
}

/** Returns a turn's tag, which the agent repeats in its reply. Not secret, only unlikely to occur by chance. */
export function tagOf(key: MarkKey, session: number, turn: number): string {
  return `t${String(session)}-${String(turn)}-${sealed(key, session, turn)}`;
}

/** Returns the code of a session, which is sent in turn 1 and requested later. */
export function codeOf(key: MarkKey, session: number): string {
  return `c${String(session)}-${sealed(key, session, 0)}`;
}

/** Finds the tags and codes in a text, of this run and of others, in order. Broken ones are not found. */
export function marksIn(text: string, key: MarkKey): Mark[] {
  const marks: Mark[] = [];
  const plain = plainText(text);
  // `matchAll` would compile the expression for each reply.
  shape.lastIndex = 0;
  for (let found = shape.exec(plain); found !== null; found = shape.exec(plain)) {
    const [, kind, number, position, mac = '', sum] = found;
    const session = Number(number);
    const turn = position === undefined ? 0 : Number(position);
    const isTag = kind === 't';
    if (isTag === turn > 0 && sum === checksum(mac, session, turn))
      marks.push({ kind: isTag ? 'tag' : 'code', session, turn, isOfOtherRun: mac !== seal(key, session, turn) });
  }
  return marks;
}

/** Returns a text in which all tags and codes are the same: only they differ between runs with equal sessions. */
export function withoutMarks(text: string): string {
  return text.replace(anyShape, (mark) => `${mark.slice(0, -sealLength)}${'0'.repeat(sealLength)}`);
}

/** Reports whether a mark belongs to another session, or to another run. */
export function isForeign({ session, isOfOtherRun }: Mark, own: number): boolean {
  return isOfOtherRun || session !== own;
}

/** Reports whether a turn asks for the code: turns 2, 4, 8, 16 and so on, and the last one. */
export function asksBack(turn: number, turns: number): boolean {
  return turn > 1 && (turn === turns || (turn & (turn - 1)) === 0);
}

/** Returns a message followed by the guard's sentences. */
export function withGuardPrompts(
  message: string,
  {
    prompts,
    key,
    session,
    turn,
    turns,
  }: { prompts: IntegrityPlan['prompts']; key: MarkKey } & Record<'session' | 'turn' | 'turns', number>,
): string {
  const tag = prompts.tag.replace('{{tag}}', tagOf(key, session, turn));
  if (turn === 1) return `${message} ${prompts.remember.replace('{{code}}', codeOf(key, session))} ${tag}`;
  return asksBack(turn, turns) ? `${message} ${prompts.recall} ${tag}` : `${message} ${tag}`;
}

/** Returns a text in lower case, with the hyphens of marks as they were sent: agents format them. */
function plainText(text: string): string {
  const small = text.toLowerCase();
  return isFormatted.test(small) ? small.normalize('NFKC').replace(hyphens, '-') : small;
}

const isFormatted = /[^\0-\x7f]|\\-|%2d| -|- /;
const hyphens = /\s?(?:\\-|%2d|[-\u2010-\u2015\u2212\u00ad])\s?/g;

const shape = /(?<![0-9a-z])([ct])([1-9]\d{0,9})(?:-([1-9]\d{0,9}))?-([0-9a-z]{3})([0-9a-z]{3})(?![0-9a-z])/g;
const anyShape = /\b[ct][1-9]\d{0,9}(?:-[1-9]\d{0,9})?-[0-9a-z]{6}\b/gi;
/** Length of a part of a seal: the one with the key, and its checksum. */
const partLength = 3;
const sealLength = 2 * partLength;
const [sealKey, sumKey] = [keyOf('integrity'), keyOf('checksum')];

/** Returns characters of base 36 that belong to a key, a session and a turn, then their checksum without the key: it distinguishes a mark of another run from a broken one. */
function sealed(key: MarkKey, session: number, turn: number): string {
  const mac = seal(key, session, turn);
  return mac + checksum(mac, session, turn);
}

const seal = ({ seed, salt }: MarkKey, session: number, turn: number): string =>
  threeOf(hashOf([seed, sealKey, keyOfSalt(salt), turn, session]));

const checksum = (mac: string, session: number, turn: number): string =>
  threeOf(hashOf([sumKey, keyOf(mac), turn, session]));

/** Key of the latest salt: a run has one, and needs it several times per turn. */
let [latestSalt, latestKey] = ['', keyOf('')];

function keyOfSalt(salt: string): number {
  if (salt !== latestSalt) [latestSalt, latestKey] = [salt, keyOf(salt)];
  return latestKey;
}

/** Every text of three characters of base 36, once it is needed. */
const threes = new Array<string | undefined>(36 ** partLength);

function threeOf(hash: number): string {
  const at = (hash >>> 0) % threes.length;
  return (threes[at] ??= at.toString(36).padStart(partLength, '0'));
}
