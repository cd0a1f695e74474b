import { fieldsOf, isAnswered } from '../answer.ts';
import type { KeyUsed } from '../exchanges.ts';
import { type Observation, requireKey, Skipped } from '../rule.ts';
import { withMembers, type Said, type Talk } from '../talk.ts';
import type { TalkRule } from '../talk-rules.ts';
import type { Dialect } from './dialect.ts';
import { describe } from './judge-answer.ts';

/** Returns the rules of rejected requests. */
export function refusalRules(dialect: Dialect): TalkRule[] {
  const { errors: section, request } = dialect.sections;
  const ofKey = (id: string, key: KeyUsed, rule: string): TalkRule => ({
    id,
    section,
    rule,
    expected: '401',
    try: async (talk) => {
      requireKey(talk.subject);
      return observe(await talk.sayAnew('Hello.', { key }), 401);
    },
  });
  return [
    ofKey('key-wrong', 'wrong', 'A wrong API key is refused.'),
    ofKey('key-missing', 'none', 'A request without an API key is refused.'),
    {
      id: 'model-unknown',
      section,
      rule: 'A model that does not exist is refused.',
      expected: '404 or 400',
      try: async (talk) => observe(await sayUnknown(talk), 404, 400),
    },
    {
      id: 'not-json',
      section,
      rule: 'A body that is not JSON is refused.',
      expected: '400',
      try: async (talk) => observe(await talk.sayAnew('Hello.', { change: () => '{"model":' }), 400),
    },
    ...dialect.required.map((member) => ({
      id: `${member}-missing`,
      section: request,
      rule: `A request without ${member} is refused.`,
      expected: '400',
      try: async (talk: Talk) =>
        observe(await talk.sayAnew('Hello.', { change: withMembers({ [member]: undefined }) }), 400),
    })),
    {
      id: 'stream-refusal',
      section,
      rule: 'A refused streaming request is answered with an error status and without events.',
      expected: 'an error status (4xx or 5xx)',
      try: async (talk) => {
        const { answer } = await sayUnknown(talk, true);
        return { conforms: answer.status >= 400 && answer.events === undefined, seen: describe(answer) };
      },
    },
    {
      id: 'error-shape',
      section,
      rule: 'A refusal describes the problem, in the format of the API.',
      expected: 'error with message and type in every rejection',
      // Examines every earlier refusal: it is tested last.
      try: async (talk) => {
        await talk.answered();
        if (talk.answers.every(isAnswered)) await sayUnknown(talk);
        // Responses of a gateway, 429 and 5xx, need not follow the description.
        const refusals = talk.answers.filter(({ status }) => status >= 400 && status <= 499 && status !== 429);
        if (refusals.length === 0) throw new Skipped('nothing was refused');
        const faults = refusals.flatMap((answer) => {
          const fault = dialect.errorFault(fieldsOf(answer) ?? {});
          return fault === undefined ? [] : [`${fault} in ${describe(answer)}`];
        });
        return { conforms: faults.length === 0, seen: faults[0] ?? `in all ${String(refusals.length)} rejections` };
      },
    },
  ];
}

const observe = ({ answer }: Said, ...statuses: readonly number[]): Observation => ({
  conforms: statuses.includes(answer.status),
  seen: describe(answer),
});

/** Sends a message to a model that does not exist. */
const sayUnknown = (talk: Talk, isStreamed = false): Promise<Said> =>
  talk.sayAnew('Hello.', {
    isStreamed,
    change: withMembers({ model: `chat-load-check-${talk.subject.newCode()}` }),
  });
