import { fieldsOf, isAnswered } from '../answer.ts';
import type { KeyUsed } from '../post.ts';
import { requireKey, Skipped } from '../rule.ts';
import { describe, type ApiTalk, type ApiRule } from './api-talk.ts';
import type { Dialect } from './dialect.ts';

/** What must be refused, and how. */
export function refusalRules(dialect: Dialect): ApiRule[] {
  const { sections, required } = dialect;
  const ofKey = (id: string, key: KeyUsed, rule: string): ApiRule => ({
    id,
    section: sections.errors,
    rule,
    expected: '401',
    try: async (talk) => {
      requireKey(talk.subject);
      await talk.requireAnswer();
      const answer = await talk.send(talk.message(), { key });
      return { isKept: answer.status === 401, seen: describe(answer) };
    },
  });
  const ofMissing = (member: string): ApiRule => ({
    id: `${member}-missing`,
    section: sections.request,
    rule: `A request without ${member} is refused.`,
    expected: '400',
    try: async (talk) => {
      await talk.requireAnswer();
      const answer = await talk.send({ ...talk.message(), [member]: undefined });
      return { isKept: answer.status === 400, seen: describe(answer) };
    },
  });
  return [
    ofKey('key-wrong', 'wrong', 'A wrong API key is refused.'),
    ofKey('key-missing', 'none', 'A request without an API key is refused.'),
    {
      id: 'model-unknown',
      section: sections.errors,
      rule: 'A model that does not exist is refused.',
      expected: '404 or 400',
      try: async (talk) => {
        await talk.requireAnswer();
        const answer = await talk.send({ ...talk.message(), model: unknownModel(talk) });
        return { isKept: answer.status === 404 || answer.status === 400, seen: describe(answer) };
      },
    },
    {
      id: 'not-json',
      section: sections.errors,
      rule: 'A body that is not JSON is refused.',
      expected: '400',
      try: async (talk) => {
        await talk.requireAnswer();
        const answer = await talk.send('{"model":');
        return { isKept: answer.status === 400, seen: describe(answer) };
      },
    },
    ...required.map(ofMissing),
    {
      id: 'stream-refusal',
      section: sections.errors,
      rule: 'A streamed request that is refused is answered with a status of failure and no events.',
      expected: 'a status of failure',
      try: async (talk) => {
        await talk.requireAnswer();
        const message = { ...talk.message('Hello.', { isStreamed: true }), model: unknownModel(talk) };
        const answer = await talk.send(message, { isStreamed: true });
        return { isKept: answer.status >= 400 && answer.events === undefined, seen: describe(answer) };
      },
    },
    errorShape(dialect),
  ];
}

const unknownModel = ({ subject }: ApiTalk): string => `chat-load-check-${subject.newCode()}`;

/** Every refusal that was met is looked at: it is tried last of these. */
function errorShape({ sections, errorFault }: Dialect): ApiRule {
  return {
    id: 'error-shape',
    section: sections.errors,
    rule: 'A refusal says what is wrong, in the shape of the API.',
    expected: 'error with message and type, in every refusal',
    try: async (talk) => {
      await talk.requireAnswer();
      if (talk.answers.every(isAnswered)) await talk.send({ ...talk.message(), model: unknownModel(talk) });
      // Answers of a gateway, 429 and 5xx, need not follow the description.
      const refusals = talk.answers.filter(({ status }) => status >= 400 && status <= 499 && status !== 429);
      if (refusals.length === 0) throw new Skipped('nothing was refused');
      const faults = refusals.flatMap((answer) => {
        const fault = errorFault(fieldsOf(answer) ?? {});
        return fault === undefined ? [] : [`${fault} in ${describe(answer)}`];
      });
      return { isKept: faults.length === 0, seen: faults[0] ?? `in each of ${String(refusals.length)}` };
    },
  };
}
