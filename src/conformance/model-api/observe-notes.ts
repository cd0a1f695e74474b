import type { EventReader } from '../../protocol/model-api/event-stream.ts';
import { noteTexts, type Note, type NoteRule } from '../../protocol/notes.ts';
import type { Verdict } from '../../protocol/protocol.ts';
import type { Observation } from '../rule.ts';
import type { EventRule, TalkRule } from '../talk-rules.ts';

/** Notes about the form of the content. */
const contentNotes: ReadonlySet<NoteRule> = new Set(['content_parts', 'content_text', 'part_form']);

/** Notes about a non-streamed reply that have rules of their own. */
const ownRules: ReadonlySet<NoteRule> = new Set(['no_finish', 'no_id']);

/** Observes deviations of a non-streamed reply that a run only counts. */
export function observeNotes(notes: readonly Note[] = []): Observation {
  return observe(notes.filter(({ rule }) => !ownRules.has(rule)));
}

/** Observes whether a reply is read without deviations of these rules. */
export function observeVerdict({ outcome, detail, reply }: Verdict, rules: readonly NoteRule[] = []): Observation {
  if (outcome !== 'ok') return { conforms: false, seen: detail };
  return observe((reply?.notes ?? []).filter(({ rule }) => rules.includes(rule)));
}

/** Returns the rule on the form of streamed content. `begin`: the reader of a run. */
export function contentRule(ofEvents: EventRule, begin: () => EventReader): TalkRule {
  const expected = 'content of the described form in every event';
  return ofEvents('stream-content', 'Streamed content has the format of the API.', expected, (events) => {
    const reader = begin();
    for (const { type, fields } of events) if (fields !== undefined) reader.take(fields, type);
    return observe((reader.notes?.all ?? []).filter(({ rule }) => contentNotes.has(rule)));
  });
}

function observe(notes: readonly Note[]): Observation {
  if (notes.length === 0) return { conforms: true, seen: 'readable' };
  return { conforms: false, seen: notes.map(({ rule }) => noteTexts[rule]).join('; ') };
}
