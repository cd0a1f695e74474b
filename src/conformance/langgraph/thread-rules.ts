import type { PortDescription } from '../any-protocol/port-description.ts';
import { streamNoteRule, wholeNoteRule } from '../any-protocol/note-rules.ts';
import { portRuleSet } from '../any-protocol/port-rules.ts';
import { isText } from '../answer.ts';
import { observeFault, observeFirst } from '../stream-event.ts';
import type { RuleSet } from '../rule-set.ts';
import { eventRules, type TalkRule } from '../talk-rules.ts';

const section = 'Streaming API';
const ofEvents = eventRules(section);

/** The description of LangGraph's servers. */
const langgraph: PortDescription = {
  description: 'LangSmith Agent Server API',
  sections: { reply: 'Thread Runs, Wait for Run', stream: section, errors: 'Thread Runs', conversation: 'Threads' },
  required: ['assistant_id'],
  misread: [],
};

const rules: readonly TalkRule[] = [
  ofEvents('stream-first', 'A stream begins with metadata.', 'metadata, once and first', (events) =>
    observeFirst(events, 'metadata'),
  ),
  ofEvents('stream-run', 'metadata names the run.', 'run_id: a text', (events) => {
    const { fields } = events.find(({ kind }) => kind === 'metadata') ?? {};
    return observeFault(isText(fields?.['run_id']) ? undefined : 'no run_id', 'run_id');
  }),
  ofEvents(
    'stream-tokens',
    'messages-tuple sends the tokens of the reply as they are generated.',
    'more than one messages event',
    (events) => {
      const tokens = events.filter(({ type }) => type === 'messages').length;
      return { conforms: tokens > 1, seen: `${String(tokens)} messages events` };
    },
  ),
  wholeNoteRule({
    id: 'form',
    section: 'Threads',
    rule: 'The messages of a state have a type and their content.',
    expected: 'type: "human", "ai", ...',
    notes: ['old_form'],
  }),
  streamNoteRule({
    id: 'stream-form',
    section,
    rule: 'The messages of events have a type and their content.',
    expected: '[message, metadata], with type: "AIMessageChunk" or "ai"',
    notes: ['old_form'],
  }),
  streamNoteRule({
    id: 'stream-state',
    section,
    rule: 'A stream ends with the state of the thread.',
    expected: 'values with the reply, last',
    notes: ['no_state'],
  }),
];

export const ruleSet: RuleSet = portRuleSet(langgraph, rules);
