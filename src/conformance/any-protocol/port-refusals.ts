import type { AttemptClass } from '../../protocol/outcome.ts';
import { fieldsOf, isAnswered, type Fields } from '../answer.ts';
import type { Answer, KeyUsed } from '../exchanges.ts';
import { readEvent } from '../stream-event.ts';
import { requireKey, Skipped, type Observation } from '../rule.ts';
import { withMembers, type Said } from '../talk.ts';
import type { TalkRule } from '../talk-rules.ts';
import { describe } from './describe-answer.ts';
import type { PortDescription } from './port-description.ts';

/** Returns the rules of refused messages. */
export function refusalRules({ sections, required, errorFault }: PortDescription): TalkRule[] {
  const { errors: section } = sections;
  const ofKey = (id: string, key: KeyUsed, rule: string): TalkRule => ({
    id,
    section,
    rule,
    expected: '401 or 403',
    try: async (talk) => {
      requireKey(talk.subject);
      return observe(await talk.sayAnew('Hello.', { key }), [401, 403], ['unauthorized', 'forbidden']);
    },
  });
  const changed = (id: string, rule: string, change: (body: string) => string): TalkRule => ({
    id,
    section,
    rule,
    expected: '400, 422 or an error of the API',
    try: async (talk) => observe(await talk.sayAnew('Hello.', { change }), [400, 422], ['bad_request']),
  });
  return [
    ofKey('key-wrong', 'wrong', 'A wrong API key is refused.'),
    ofKey('key-missing', 'none', 'A request without an API key is refused.'),
    changed('not-json', 'A body that is not JSON is refused.', () => '{"chat":'),
    ...required.map((member) =>
      changed(`${member}-missing`, `A message without ${member} is refused.`, withMembers({ [member]: undefined })),
    ),
    ...(errorFault === undefined ? [] : [refusalBody(section, errorFault)]),
  ];
}

/** Returns the rule that examines every earlier refusal: it is tested last. */
function refusalBody(section: string, errorFault: NonNullable<PortDescription['errorFault']>): TalkRule {
  return {
    id: 'refusal-body',
    section,
    rule: 'A refusal describes the problem, in the format of the API.',
    expected: 'a readable error in every refusal',
    // Examines every earlier refusal: it is tested last.
    try: async (talk) => {
      await talk.answered();
      if (talk.answers.every(isAnswered)) await talk.sayAnew('Hello.', { change: () => '{"chat":' });
      // Responses of a gateway, 429 and 5xx, need not follow the description.
      const refusals = talk.answers.flatMap((answer) => {
        const isRefused = answer.status >= 400 && answer.status <= 499 && answer.status !== 429;
        const error = isRefused ? (fieldsOf(answer) ?? {}) : errorFrameIn(answer);
        return error === undefined ? [] : [{ answer, error }];
      });
      if (refusals.length === 0) throw new Skipped('nothing was refused');
      const faults = refusals.flatMap(({ answer, error }) => {
        const fault = errorFault(error);
        return fault === undefined ? [] : [`${fault} in ${describe(answer)}`];
      });
      return { conforms: faults.length === 0, seen: faults[0] ?? `in all ${String(refusals.length)} refusals` };
    },
  };
}

/** Returns the error with which a message over a socket was refused, if it was. */
function errorFrameIn({ status, events = [] }: Answer): Fields | undefined {
  return status === 101 ? events.map(readEvent).find(({ kind }) => kind === 'error')?.fields : undefined;
}

/** Observes a refusal, by its status or, in a successful response, by the error that it states. */
function observe(
  { answer, verdict }: Said,
  statuses: readonly number[],
  classes: readonly AttemptClass[],
): Observation {
  const isRefused = statuses.includes(answer.status) || (isAnswered(answer) && classes.includes(verdict.outcome));
  return { conforms: isRefused, seen: isAnswered(answer) && isRefused ? verdict.detail : describe(answer) };
}
