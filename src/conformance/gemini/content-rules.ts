import { isObject, valueAt } from '../../base/is-object.ts';
import type { PortDescription } from '../any-protocol/port-description.ts';
import { portRuleSet } from '../any-protocol/port-rules.ts';
import { isText, show } from '../answer.ts';
import { observeFault, type StreamEvent } from '../stream-event.ts';
import type { Observation } from '../rule.ts';
import type { RuleSet } from '../rule-set.ts';
import { bodyRules, eventRules, type TalkRule } from '../talk-rules.ts';

const whole = 'generateContent';
const section = 'streamGenerateContent';
const ofEvents = eventRules(section);

/** The description of the Gemini API. */
const geminiApi: PortDescription = {
  description: 'Gemini API reference',
  sections: { reply: whole, stream: section, errors: 'Troubleshooting', conversation: 'Content, role' },
  required: ['contents'],
  misread: ['finish', 'stream-finish'],
  notes: ['content_text', 'part_form'],
  errorFault: ({ error }) => {
    const { code, message, status } = isObject(error) ? error : {};
    const isComplete = Number.isInteger(code) && isText(message) && isText(status);
    return isComplete ? undefined : `code ${show(code)}, message ${show(message)}, status ${show(status)}`;
  },
};

const ofReply = bodyRules(whole);

const finishIn = (response: unknown): unknown => valueAt(response, ['candidates', '0', 'finishReason']);

const rules: readonly TalkRule[] = [
  ofReply('role', 'The role of a reply is the model.', '"model"', (reply) => {
    const role = valueAt(reply, ['candidates', '0', 'content', 'role']);
    return { conforms: role === 'model', seen: show(role) };
  }),
  ofReply('finish', 'finishReason states why a reply ended.', 'a text', (reply) => ({
    conforms: isText(finishIn(reply)),
    seen: show(finishIn(reply)),
  })),
  ofReply('usage', 'usageMetadata reports the tokens.', 'promptTokenCount, totalTokenCount', ({ usageMetadata }) =>
    observeUsage(usageMetadata),
  ),
  ofEvents('stream-finish', 'The last event states why the reply ended.', 'finishReason, once and last', (events) =>
    observeFinish(events),
  ),
  ofEvents('stream-candidates', 'Every event has a list of candidates.', 'candidates in every event', (events) => {
    const other = events.find(({ fields }) => fields !== undefined && !Array.isArray(fields['candidates']));
    return observeFault(other && `candidates: ${show(other.fields?.['candidates'])}`, 'in every event');
  }),
  ofEvents('stream-index', 'The candidate has the index 0.', 'index 0, or none', (events) => {
    const indexes = events.map(({ fields }) => valueAt(fields, ['candidates', '0', 'index']));
    const other = indexes.find((index) => index !== undefined && index !== 0);
    return observeFault(other === undefined ? undefined : `index: ${show(other)}`, '0 in every event');
  }),
  ofEvents('stream-id', 'All events have one responseId.', 'the same responseId, or none', (events) => {
    const ids = new Set(events.map(({ fields }) => fields?.['responseId']).filter(isText));
    return { conforms: ids.size <= 1, seen: [...ids].map(show).join(', ') };
  }),
  ofEvents('stream-usage', 'The last event reports the tokens.', 'promptTokenCount, totalTokenCount', (events) =>
    observeUsage(events.at(-1)?.fields?.['usageMetadata']),
  ),
];

function observeFinish(events: readonly StreamEvent[]): Observation {
  const ends = events.filter(({ fields }) => isText(finishIn(fields)));
  if (ends.length !== 1) return { conforms: false, seen: `${String(ends.length)} events with a finishReason` };
  return { conforms: ends[0] === events.at(-1), seen: ends[0] === events.at(-1) ? 'last' : 'not in the last event' };
}

function observeUsage(usage: unknown): Observation {
  const { promptTokenCount: input, totalTokenCount: total } = isObject(usage) ? usage : {};
  const conforms = Number.isSafeInteger(input) && Number.isSafeInteger(total);
  return { conforms, seen: `promptTokenCount ${show(input)}, totalTokenCount ${show(total)}` };
}

export const ruleSet: RuleSet = portRuleSet(geminiApi, rules);
