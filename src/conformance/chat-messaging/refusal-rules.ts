import { errorTexts } from '../../protocol/chat-messaging/api.ts';
import { fieldsOf, show, type Fields } from '../answer.ts';
import type { Answer, KeyUsed } from '../exchanges.ts';
import { requireKey, Skipped } from '../rule.ts';
import { withMembers, type Talk } from '../talk.ts';
import { describeAnswer, firstSession, isProviderFailure, contains, type MessagingRule } from './messages.ts';

/** Rules of rejected requests. */
export const refusalRules: readonly MessagingRule[] = [
  ...(['agentId', 'sessionId', 'message'] as const).flatMap((field) => [
    ofMissing(field, 'missing'),
    ofMissing(field, 'empty'),
  ]),
  {
    id: 'agent-unknown',
    section: '7',
    rule: 'An agent that is not on the caller’s account is not found.',
    expected: `404 "${errorTexts.agentNotFound}"`,
    try: async (talk) => {
      const answer = await refused(talk, { agentId: `chat-load-check-${talk.subject.newCode()}` });
      return {
        conforms: answer.status === 404 && contains(answer, errorTexts.agentNotFound),
        seen: describeAnswer(answer),
      };
    },
  },
  {
    id: 'chat-off',
    section: '3, 7',
    rule: 'An agent with chat turned off is refused.',
    expected: `400 "${errorTexts.chatDisabled}"`,
    try: async (talk) => {
      const { chatOffAgentId: agentId } = talk.subject.needs;
      if (agentId === undefined) throw new Skipped('name an agent with chat off with --chat-off-agent');
      // If such an agent has a session, the message is sent in that session, so that the message has no other fault.
      const { conversation } = await talk.begin(talk.subject.open({ agentId }));
      const { sessionId } = conversation ?? (await firstSession(talk));
      const answer = await refused(talk, { agentId, sessionId });
      return {
        conforms: answer.status === 400 && contains(answer, errorTexts.chatDisabled),
        seen: describeAnswer(answer),
      };
    },
  },
  ofKey('key-wrong', 'wrong', 'A wrong API key is refused.'),
  ofKey('key-wrong-kind', 'wrong_kind', 'An API key of the wrong type is refused.'),
  {
    id: 'session-unknown',
    section: '4.1',
    rule: 'A session that does not exist is not found.',
    expected: '404 with its own error text',
    standing: 'recommended',
    try: async (talk) => {
      const answer = await refused(talk, { sessionId: `chat-load-check-${talk.subject.newCode()}` });
      return {
        conforms: answer.status === 404 && !contains(answer, errorTexts.agentNotFound),
        seen: describeAnswer(answer),
      };
    },
  },
  {
    id: 'error-field',
    section: '7',
    rule: 'The error text is in a field named error.',
    expected: 'error: a string, in every rejection',
    try: async (talk) => {
      if (talk.answers.every((answer) => !isRefusedAnswer(answer))) await refused(talk, { message: '' });
      const refusals = talk.answers.filter(isRefusedAnswer);
      if (refusals.length === 0) throw new Skipped('nothing was refused');
      const without = refusals.find((answer) => !hasError(answer));
      if (without === undefined)
        return { conforms: true, seen: `a string in all ${String(refusals.length)} rejections` };
      return { conforms: false, seen: `error: ${show(fieldsOf(without)?.['error'])} in ${describeAnswer(without)}` };
    },
  },
  {
    id: 'error-internal',
    section: '7',
    rule: 'A 500 states that it is an internal error.',
    expected: `500 "${errorTexts.internal}"`,
    try: (talk) =>
      ofMet(
        talk.answers.filter((answer) => answer.status === 500 && !isProviderFailure(answer)),
        (answer) => contains(answer, errorTexts.internal),
      ),
  },
  {
    id: 'error-provider',
    section: '7',
    rule: 'A failure of the underlying chat service is reported with that service’s status.',
    expected: `"${errorTexts.provider}" with an error status (4xx or 5xx)`,
    try: (talk) => ofMet(talk.answers.filter(isProviderFailure), ({ status }) => status >= 400),
  },
];

function ofMissing(field: 'agentId' | 'sessionId' | 'message', fault: 'missing' | 'empty'): MessagingRule {
  return {
    id: `${field}-${fault}`,
    section: '2.1, 7',
    rule: `A message whose ${field} is ${fault} is refused.`,
    expected: `400 "${errorTexts.missingFields}"`,
    try: async (talk) => {
      const answer = await refused(talk, { [field]: fault === 'empty' ? '' : undefined });
      return {
        conforms: answer.status === 400 && contains(answer, errorTexts.missingFields),
        seen: describeAnswer(answer),
      };
    },
  };
}

function ofKey(id: string, key: KeyUsed, rule: string): MessagingRule {
  return {
    id,
    section: '5, 7',
    rule,
    expected: '401 or 403',
    try: async (talk) => {
      requireKey(talk.subject);
      if (key === 'wrong_kind' && talk.subject.needs.wrongKindKey === undefined)
        throw new Skipped('set a key of the wrong type in CHAT_LOAD_WRONG_KIND_KEY');
      const answer = await refused(talk, {}, key);
      return { conforms: answer.status === 401 || answer.status === 403, seen: describeAnswer(answer) };
    },
  };
}

/** Sends a message that is valid except for these fields or its key. */
async function refused(talk: Talk, fields: Fields, key: KeyUsed = 'good'): Promise<Answer> {
  return (await talk.say(await firstSession(talk), 'Hello.', { key, change: withMembers(fields) })).answer;
}

/** Responses of a gateway, 429 and 5xx, need not follow the description. */
const isRefusedAnswer = ({ status }: Answer): boolean => status >= 400 && status <= 500 && status !== 429;

function hasError(answer: Answer): boolean {
  const error = fieldsOf(answer)?.['error'];
  return typeof error === 'string' && error !== '';
}

/** A failure that cannot be provoked from outside is judged if one occurred. */
function ofMet(met: readonly Answer[], keeps: (answer: Answer) => boolean): ReturnType<MessagingRule['try']> {
  const [first] = met;
  if (first === undefined) throw new Skipped('none occurred, and it cannot be provoked from outside');
  const broken = met.find((answer) => !keeps(answer));
  return Promise.resolve({ conforms: broken === undefined, seen: describeAnswer(broken ?? first) });
}
