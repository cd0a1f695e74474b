import { isObject, valueAt } from '../../base/is-object.ts';
import type { PortDescription, PortRule } from '../any-protocol/port-description.ts';
import { eventRule, portRuleSet } from '../any-protocol/port-rules.ts';
import { fieldsOf, isText, show, type Fields } from '../answer.ts';
import type { StreamEvent } from '../model-api/stream-event.ts';
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
