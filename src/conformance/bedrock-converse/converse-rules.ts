import { isObject, valueAt } from '../../base/is-object.ts';
import type { PortDescription } from '../any-protocol/port-description.ts';
import { portRuleSet } from '../any-protocol/port-rules.ts';
import { isText, show } from '../answer.ts';
import { observeEnd, observeFault, observeFirst, type StreamEvent } from '../stream-event.ts';
import { Skipped, type Observation } from '../rule.ts';
import type { RuleSet } from '../rule-set.ts';
import { bodyRules, eventRules, type TalkRule } from '../talk-rules.ts';

const whole = 'Converse';
const section = 'ConverseStream';
const ofEvents = eventRules(section);

/** The description of the Converse API. */
const converse: PortDescription = {
  description: 'Amazon Bedrock API Reference',
  sections: { reply: whole, stream: section, errors: 'Common Errors', conversation: `${whole}, messages` },
  required: ['messages'],
  misread: ['stop-reason', 'stream-blocks', 'stream-end', 'stream-finish'],
  notes: ['content_text', 'part_form', 'event_name'],
  errorFault: ({ message }) => (isText(message) ? undefined : `message: ${show(message)}`),
};

const ofReply = bodyRules(whole);

const rules: readonly TalkRule[] = [
  ofReply('role', 'The role of a reply is the assistant.', '"assistant"', (reply) => {
    const role = valueAt(reply, ['output', 'message', 'role']);
    return { conforms: role === 'assistant', seen: show(role) };
  }),
  ofReply('stop-reason', 'stopReason states why a reply ended.', 'a text', ({ stopReason }) => ({
    conforms: isText(stopReason),
    seen: show(stopReason),
  })),
  ofReply('usage', 'usage reports the tokens of request and reply.', 'inputTokens and outputTokens', ({ usage }) =>
    observeUsage(usage),
  ),
  ofEvents('stream-first', 'A stream begins with messageStart.', 'messageStart, once and first', (events) =>
    observeFirst(events, 'messageStart'),
  ),
  ofEvents(
    'stream-blocks',
    'Blocks follow each other, and each ends with contentBlockStop.',
    'deltas and stop for each index',
    (events) => observeFault(blockFault(events)),
  ),
  ofEvents('stream-end', 'messageStop follows all blocks.', 'messageStop, once and last but for metadata', (events) =>
    observeEnd(
      events.filter(({ kind }) => kind !== 'metadata'),
      ({ kind }) => kind === 'messageStop',
    ),
  ),
  ofEvents('stream-finish', 'messageStop states why the reply ended.', 'a text', (events) => {
    const stop = events.find(({ kind }) => kind === 'messageStop')?.fields;
    if (stop === undefined) throw new Skipped('there was no messageStop');
    return { conforms: isText(stop['stopReason']), seen: show(stop['stopReason']) };
  }),
  ofEvents('stream-usage', 'metadata reports the tokens.', 'inputTokens and outputTokens', (events) =>
    observeUsage(events.find(({ kind }) => kind === 'metadata')?.fields?.['usage']),
  ),
];

function observeUsage(usage: unknown): Observation {
  const { inputTokens, outputTokens } = isObject(usage) ? usage : {};
  const conforms = Number.isSafeInteger(inputTokens) && Number.isSafeInteger(outputTokens);
  return { conforms, seen: `inputTokens ${show(inputTokens)}, outputTokens ${show(outputTokens)}` };
}

/** Describes the first fault in the order of blocks, if any. */
function blockFault(events: readonly StreamEvent[]): string | undefined {
  let ended = -1;
  let open: unknown;
  for (const { kind, fields } of events) {
    if (!kind.startsWith('contentBlock')) continue;
    const index = fields?.['contentBlockIndex'];
    if (typeof index !== 'number' || index <= ended) return `${kind} of block ${show(index)}, which has ended`;
    if (open !== undefined && index !== open) return `block ${show(index)} begins within block ${show(open)}`;
    open = kind === 'contentBlockStop' ? undefined : index;
    if (kind === 'contentBlockStop') ended = index;
  }
  return open === undefined ? undefined : `block ${show(open)} never stopped`;
}

export const ruleSet: RuleSet = portRuleSet(converse, rules);
