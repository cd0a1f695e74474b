import { isObject, valueAt } from '../../base/is-object.ts';
import type { PortDescription, PortRule } from '../any-protocol/port-description.ts';
import { eventRule, portRuleSet } from '../any-protocol/port-rules.ts';
import { fieldsOf, isText, show, type Fields } from '../answer.ts';
import { observeFault, type StreamEvent } from '../model-api/stream-event.ts';
import type { Observation } from '../rule.ts';
import type { RuleSet } from '../rule-set.ts';

const whole = 'generateContent';
const section = 'streamGenerateContent';

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

/** Returns a rule on the JSON of a reply. */
const ofReply = (
  [id, rule, expected]: readonly [string, string, string],
  look: (reply: Fields) => Observation,
): PortRule => ({
  id,
  section: whole,
  rule,
  expected,
  try: async (talk) => look(fieldsOf((await talk.answered()).answer) ?? {}),
});

const finishIn = (response: unknown): unknown => valueAt(response, ['candidates', '0', 'finishReason']);

const rules: readonly PortRule[] = [
  ofReply(['role', 'The role of a reply is the model.', '"model"'], (reply) => {
    const role = valueAt(reply, ['candidates', '0', 'content', 'role']);
    return { conforms: role === 'model', seen: show(role) };
  }),
  ofReply(['finish', 'finishReason states why a reply ended.', 'a text'], (reply) => ({
    conforms: isText(finishIn(reply)),
    seen: show(finishIn(reply)),
  })),
  ofReply(['usage', 'usageMetadata reports the tokens.', 'promptTokenCount, totalTokenCount'], ({ usageMetadata }) =>
    observeUsage(usageMetadata),
  ),
  eventRule(
    section,
    ['stream-finish', 'The last event states why the reply ended.', 'finishReason, once and last'],
    (events) => observeFinish(events),
  ),
  eventRule(
    section,
    ['stream-candidates', 'Every event has a list of candidates.', 'candidates in every event'],
    (events) => {
      const other = events.find(({ fields }) => fields !== undefined && !Array.isArray(fields['candidates']));
      return observeFault(other && `candidates: ${show(other.fields?.['candidates'])}`, 'in every event');
    },
  ),
  eventRule(section, ['stream-index', 'The candidate has the index 0.', 'index 0, or none'], (events) => {
    const indexes = events.map(({ fields }) => valueAt(fields, ['candidates', '0', 'index']));
    const other = indexes.find((index) => index !== undefined && index !== 0);
    return observeFault(other === undefined ? undefined : `index: ${show(other)}`, '0 in every event');
  }),
  eventRule(section, ['stream-id', 'All events have one responseId.', 'the same responseId, or none'], (events) => {
    const ids = new Set(events.map(({ fields }) => fields?.['responseId']).filter(isText));
    return { conforms: ids.size <= 1, seen: [...ids].map(show).join(', ') };
  }),
  eventRule(
    section,
    ['stream-usage', 'The last event reports the tokens.', 'promptTokenCount, totalTokenCount'],
    (events) => observeUsage(events.at(-1)?.fields?.['usageMetadata']),
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
