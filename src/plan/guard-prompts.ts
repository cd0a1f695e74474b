import type { IntegrityPlan } from './plan.ts';
import { hashOf, keyOf } from '../base/random.ts';

/** A tag or a code of this run, found in a text; it identifies its session. */
export interface Mark {
  kind: 'tag' | 'code';
  /** Session that it belongs to, from 1. */
  session: number;
  /** The turn that a tag belongs to, from 1; 0 for a code. */
  turn: number;
}

/** Returns a turn's tag, which the agent repeats in its reply. Not secret, only unlikely to occur by chance. */
export function tagOf(seed: number, session: number, turn: number): string {
  return `t${String(session)}-${String(turn)}-${seal(seed, session, turn)}`;
}

/** Returns the code of a session, which is sent in turn 1 and requested later. */
export function codeOf(seed: number, session: number): string {
  return `c${String(session)}-${seal(seed, session, 0)}`;
}

/** Finds the tags and codes in a text that belong to the run of this seed, in order. */
export function marksIn(text: string, seed: number): Mark[] {
  const marks: Mark[] = [];
  for (const [, kind, number, position, mac] of text.matchAll(shape)) {
    const session = Number(number);
    const turn = position === undefined ? 0 : Number(position);
    const isTag = kind === 't' || kind === 'T';
    if (isTag === turn > 0 && mac?.toLowerCase() === seal(seed, session, turn))
      marks.push({ kind: isTag ? 'tag' : 'code', session, turn });
  }
  return marks;
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
    seed,
    session,
    turn,
    turns,
  }: { prompts: IntegrityPlan['prompts'] } & Record<'seed' | 'session' | 'turn' | 'turns', number>,
): string {
  const tag = prompts.tag.replace('{{tag}}', tagOf(seed, session, turn));
  if (turn === 1) return `${message} ${prompts.remember.replace('{{code}}', codeOf(seed, session))} ${tag}`;
  return asksBack(turn, turns) ? `${message} ${prompts.recall} ${tag}` : `${message} ${tag}`;
}

const shape = /\b([ct])([1-9]\d{0,9})(?:-([1-9]\d{0,9}))?-([0-9a-z]{6})\b/gi;
const key = keyOf('integrity');
const seals = 36 ** 6;

/** Returns six characters of base 36 that belong to a seed, a session and a turn. */
const seal = (seed: number, session: number, turn: number): string =>
  ((hashOf([seed, key, turn, session]) >>> 0) % seals).toString(36).padStart(6, '0');
