import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Conversation, countUserTurns, hasRuns } from './conversation.ts';
import { readConversation } from './read-conversation.ts';
import { scanConversation } from './scan-conversation.ts';

function parsed(line: string): Conversation | undefined {
  try {
    const read = readConversation(JSON.parse(line));
    return typeof read === 'string' ? undefined : read;
  } catch {
    return undefined;
  }
}

/** Result of a parser, if the scan returns one. */
function expectNoOther(line: string): void {
  const scanned = scanConversation(line);
  if (scanned === undefined) return;
  const read = parsed(line);
  expect(read, line).toBeDefined();
  if (read !== undefined) expect([scanned.turns, scanned.hasRuns], line).toEqual([countUserTurns(read), hasRuns(read)]);
}

const say = (role: string, content = 'x') => ({ role, content });
const spaced = (value: unknown): string =>
  JSON.stringify(value, null, 1)
    .replace(/(?<=[{[])\n *|\n *(?=[}\]])/g, '')
    .replace(/\n */g, ' ');

test.each([
  [[say('user')], 1, false],
  [[say('user'), say('assistant'), say('user', 'a "b" \n \\ é 😀 \u0007')], 2, false],
  [[say('system'), say('system'), say('user'), say('user'), say('assistant')], 1, true],
])('counts the turns of %j', (messages, turns, isRun) => {
  const conversation = { id: '7', score: 0, messages, language: 'en', good: true };
  for (const line of [JSON.stringify(conversation), spaced(conversation), `${JSON.stringify({ messages })}\r`])
    expect(scanConversation(line)).toMatchObject({ turns, hasRuns: isRun });
});

test.each([
  '{"messages":[{"role":"user","content":"a"}],"messages":[]}',
  '{"messages":[{"role":"user","content":"a"}],"mess\\u0061ges":[]}',
  '{"messages":[{"role":"user","content":"a"}],"messages":"b"}',
  '{"messages":[{"role":"user","content":"a\tb"}]}',
  '{"messages":[{"role":"user","content":"a\\x"}]}',
  '{"messages":[{"role":"user","content":"\\u00e"}]}',
  '{"messages":[{"role":"user","content":" "}]}',
  '{"messages":[{"role":"user","content":""}]}',
  '{"messages":[{"role":"user","content":"a"},]}',
  '{"messages":[{"role":"user","content":"a"}{"role":"user","content":"a"}]}',
  '{"messages":[{"role":"user","content":"a"}',
  '{"messages":[{"role":"user","content":"a"}]}}',
  '{"messages":[{"role":"user","content":"a"}]} {}',
  '{"id":01,"messages":[{"role":"user","content":"a"}]}',
  '{"messages":[{"role":"assistant","content":"a"}]}',
  '{"messages":[{"role":"user","content":"a"},{"role":"system","content":"a"}]}',
  '{"messages":[]}',
  '',
])('leaves possibly invalid input to a parser: %s', (line) => {
  expect(scanConversation(line)).toBeUndefined();
});

test('never differs from a parser, whatever a line lost or gained', () => {
  const content = fc.string({ unit: fc.constantFrom('a', ' ', '"', '\\', '\n', 'é', '😀', '{', '}', ']', ',') });
  const role = fc.constantFrom('user', 'user', 'assistant', 'system', 'tool');
  const messages = fc.array(fc.record({ role, content }), { maxLength: 5 });
  const cut = fc.record({
    at: fc.nat(),
    gone: fc.nat(3),
    more: fc.constantFrom('', '"', '\\', ',', ']', '}', '\t', 'u'),
  });
  fc.assert(
    fc.property(messages, fc.boolean(), fc.option(cut), (said, isSpaced, change) => {
      const conversation = { id: 'a', messages: said };
      const line = isSpaced ? spaced(conversation) : JSON.stringify(conversation);
      expectNoOther(line);
      const at = change === null ? 0 : change.at % line.length;
      if (change !== null) expectNoOther(line.slice(0, at) + change.more + line.slice(at + change.gone));
    }),
    { numRuns: 1000 },
  );
});
