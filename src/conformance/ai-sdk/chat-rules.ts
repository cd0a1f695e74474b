import type { PortDescription } from '../any-protocol/port-description.ts';
import { streamNoteRule } from '../any-protocol/note-rules.ts';
import { portRuleSet } from '../any-protocol/port-rules.ts';
import { show } from '../answer.ts';
import { isDone, observeEnd, observeFault, observeFirst, type StreamEvent } from '../stream-event.ts';
import type { RuleSet } from '../rule-set.ts';
import { eventRules, type TalkRule } from '../talk-rules.ts';

const section = 'Stream Protocols, Data Stream Protocol';

/** The AI SDK's description of its streams. */
const aiSdk: PortDescription = {
  description: 'AI SDK UI documentation',
  sections: {
    reply: section,
    stream: section,
    errors: 'Error Handling',
    conversation: 'Chatbot, messages',
  },
  required: ['messages'],
  misread: ['stream-parts', 'stream-end'],
};

const ofEvents = eventRules(section);

const rules: readonly TalkRule[] = [
  ofEvents('stream-first', 'A stream begins with start.', 'start, once and first', (events) =>
    observeFirst(events, 'start'),
  ),
  ofEvents(
    'stream-parts',
    'A text begins with text-start and ends with text-end.',
    'start, deltas, end for each id',
    (events) => observeFault(partFault(events)),
  ),
  ofEvents('stream-end', 'A stream ends with finish.', 'finish, once and last', (events) =>
    observeEnd(
      events.filter((event) => !isDone(event)),
      ({ kind }) => kind === 'finish',
    ),
  ),
  ofEvents('stream-done', 'The last event of a stream is [DONE].', '[DONE], once and last', (events) =>
    observeEnd(events, isDone),
  ),
  streamNoteRule({
    id: 'stream-kinds',
    section,
    rule: 'Every part has a known type, or one that begins with data-.',
    expected: 'types of the UI message stream',
    notes: ['other_event'],
  }),
  streamNoteRule({
    id: 'stream-form',
    section,
    rule: 'Texts are in delta, and finishReason is a text.',
    expected: 'text-delta with delta',
    notes: ['old_form'],
  }),
];

/** Describes the first fault in the order of the parts of texts, if any. */
function partFault(events: readonly StreamEvent[]): string | undefined {
  const open = new Set<unknown>();
  for (const { kind, fields } of events) {
    const id = fields?.['id'];
    if (kind === 'text-start') open.add(id);
    else if (kind === 'text-delta' && !open.has(id)) return `text-delta of ${show(id)}, which has not started`;
    else if (kind === 'text-end' && !open.delete(id)) return `text-end of ${show(id)}, which has not started`;
  }
  return open.size === 0 ? undefined : `text ${show([...open][0])} never ended`;
}

export const ruleSet: RuleSet = portRuleSet(aiSdk, rules);
