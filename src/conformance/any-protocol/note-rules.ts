import { noteTexts, type NoteRule } from '../../protocol/notes.ts';
import type { Verdict } from '../../protocol/protocol.ts';
import { observeFault } from '../stream-event.ts';
import { Skipped } from '../rule.ts';
import type { Talk } from '../talk.ts';
import type { TalkRule } from '../talk-rules.ts';

/** Deviations that break one rule. */
interface Noted {
  readonly id: string;
  readonly section: string;
  readonly rule: string;
  readonly expected: string;
  /** Notes of a run that break it. */
  readonly notes: readonly NoteRule[];
}

/** Returns a rule on the first non-streamed reply: a run has none of these notes of it. */
export function wholeNoteRule(noted: Noted): TalkRule {
  return noteRule(noted, async (talk) => (await talk.answered()).verdict);
}

/** Returns a rule on the streamed reply: a run has none of these notes of it. */
export function streamNoteRule(noted: Noted): TalkRule {
  return noteRule(noted, async (talk) => {
    await talk.events();
    return (await talk.streamed()).verdict;
  });
}

function noteRule({ notes, ...facts }: Noted, verdictOf: (talk: Talk) => Promise<Verdict>): TalkRule {
  return {
    ...facts,
    try: async (talk) => {
      const { reply } = await verdictOf(talk);
      if (reply === undefined) throw new Skipped('the reply cannot be read');
      const found = reply.notes?.find(({ rule }) => notes.includes(rule));
      const detail = found === undefined || found.detail === '' ? '' : `: ${found.detail}`;
      return observeFault(found && noteTexts[found.rule] + detail);
    },
  };
}
