import { isObject } from '../../base/is-object.ts';
import type { PortDescription } from '../any-protocol/port-description.ts';
import { streamNoteRule, wholeNoteRule } from '../any-protocol/note-rules.ts';
import { portRuleSet } from '../any-protocol/port-rules.ts';
import { fieldsOf, isText, show } from '../answer.ts';
import { observeFault, type StreamEvent } from '../stream-event.ts';
import { Skipped } from '../rule.ts';
import type { RuleSet } from '../rule-set.ts';
import { withMembers } from '../talk.ts';
import { eventRules, type TalkRule } from '../talk-rules.ts';

const section = '9. JSON-RPC Protocol Binding';
const ofEvents = eventRules(section);

/** The specification of A2A. */
const specification: PortDescription = {
  description: 'A2A Protocol Specification 1.0',
  sections: { reply: section, stream: section, errors: section, conversation: '3.4 Multi-Turn Interactions' },
  required: [],
  misread: ['stream-result', 'stream-end'],
};

const rules: readonly TalkRule[] = [
  {
    id: 'envelope',
    section,
    rule: 'A response is a JSON-RPC 2.0 response with the id of its request.',
    expected: 'jsonrpc: "2.0", id: 1',
    try: async (talk) => {
      const { jsonrpc, id } = fieldsOf((await talk.answered()).answer) ?? {};
      return { conforms: jsonrpc === '2.0' && id === 1, seen: `jsonrpc: ${show(jsonrpc)}, id: ${show(id)}` };
    },
  },
  {
    id: 'context',
    section: '3.4.1 Context Identifier Semantics',
    rule: 'A reply names the context in which the next message continues.',
    expected: 'contextId: a text',
    try: async (talk) => {
      const { verdict } = await talk.answered();
      if (verdict.reply === undefined) throw new Skipped('the reply cannot be read');
      const { data } = verdict.reply;
      const contextId = isObject(data) ? data['contextId'] : undefined;
      return { conforms: isText(contextId), seen: `contextId: ${isText(contextId) ? 'a text' : show(contextId)}` };
    },
  },
  ofEvents(
    'stream-result',
    'Every event is a JSON-RPC response with one result.',
    'jsonrpc: "2.0", id: 1, and one of task, message, statusUpdate, artifactUpdate',
    (events) => {
      const other = events.find((event) => !isResponse(event) || resultsIn(event).length !== 1);
      return observeFault(other && `"${other.data}"`, `${String(events.length)} events`);
    },
  ),
  ofEvents('stream-first', 'A stream begins with the task or the message.', 'task or message first', (events) => {
    const [first] = events.map(resultsIn);
    const conforms = first?.[0] === 'task' || first?.[0] === 'message';
    return { conforms, seen: `${first?.[0] ?? 'nothing'} first` };
  }),
  ofEvents('stream-end', 'A stream ends with the final state of the task.', 'a final state, last', (events) => {
    const last = events.at(-1);
    const { statusUpdate, task } = resultIn(last) ?? {};
    const update = statusUpdate ?? task;
    const status = isObject(update) && isObject(update['status']) ? update['status']['state'] : undefined;
    const isMessage = last !== undefined && resultsIn(last)[0] === 'message';
    const isFinal = typeof status === 'string' && !unfinished.includes(status);
    return { conforms: isMessage || isFinal, seen: isMessage ? 'message' : show(status) };
  }),
  wholeNoteRule({
    id: 'form',
    section: '4. Protocol Data Model',
    rule: 'A result, its state and its parts have the forms of version 1.0.',
    expected: 'task or message, TASK_STATE_..., parts with a text and no kind',
    notes: ['old_form'],
  }),
  wholeNoteRule({
    id: 'artifact',
    section: '3.7 Messages and Artifacts',
    rule: 'The result of a task is in its artifacts, or in the message of its final status.',
    expected: 'artifacts, or status.message',
    notes: ['text_in_progress'],
  }),
  streamNoteRule({
    id: 'stream-form',
    section: '4. Protocol Data Model',
    rule: 'Results, states and parts of events have the forms of version 1.0.',
    expected: 'TASK_STATE_..., parts with a text and no kind',
    notes: ['old_form'],
  }),
  streamNoteRule({
    id: 'stream-artifact',
    section: '3.7 Messages and Artifacts',
    rule: 'The text of a task is sent in artifact updates; later parts of an artifact append to it.',
    expected: 'artifactUpdate, with append: true for later parts',
    notes: ['text_in_progress', 'no_append', 'late_text'],
  }),
  {
    id: 'method-unknown',
    section: '9.5 Error Handling',
    rule: 'An unknown method is refused with the code -32601.',
    expected: 'error.code: -32601',
    try: async (talk) => {
      const change = withMembers({ method: 'NoSuchMethod' });
      const error = fieldsOf((await talk.sayAnew('Hello.', { change })).answer)?.['error'];
      const code = isObject(error) ? error['code'] : undefined;
      return { conforms: code === -32601, seen: `error.code: ${show(code)}` };
    },
  },
];

const unfinished: readonly string[] = ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'];

function resultIn(event: StreamEvent | undefined): Readonly<Record<string, unknown>> | undefined {
  const result = event?.fields?.['result'];
  return isObject(result) ? result : undefined;
}

const isResponse = ({ fields }: StreamEvent): boolean => fields?.['jsonrpc'] === '2.0' && fields['id'] === 1;

/** Returns the kinds of results in an event. */
function resultsIn(event: StreamEvent): readonly string[] {
  const kinds = ['task', 'message', 'statusUpdate', 'artifactUpdate'];
  return Object.keys(resultIn(event) ?? {}).filter((key) => kinds.includes(key));
}

export const ruleSet: RuleSet = portRuleSet(specification, rules);
