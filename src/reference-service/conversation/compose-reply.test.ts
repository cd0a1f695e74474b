import { describe, expect, test } from 'vitest';
import { questions } from '../../protocol/chat-messaging/questions.ts';
import { composeReply } from './compose-reply.ts';
import { StoredConversation } from './conversation.ts';
import { compileInstructions, type VariableValues } from './instructions.ts';

const brief = compileInstructions('Talk to {{name}} about {{order}}.');
const known = { name: 'Ada', order: 'ORD-7' };

function reply(earlier: readonly string[], message: string, values: VariableValues = known): string {
  const conversation = new StoredConversation({ turns: 3, characters: 1e6 });
  for (const said of earlier) conversation.add({ message: said, response: 'ok', createdAt: new Date().toISOString() });
  return composeReply({ briefing: brief(values), earlier: conversation, message });
}

describe('the scripted agent', () => {
  test('contains the message, the earlier messages, and the known values', () => {
    expect(reply([], 'Hello.')).toBe('Turn 1: you said "Hello.". I know: name = Ada, order = ORD-7.');
    expect(reply(['Hello.'], 'Where is it?')).toBe(
      'Turn 2: you said "Where is it?". Before that you said "Hello.". I know: name = Ada, order = ORD-7.',
    );
  });

  test('gives equal replies to equal turns and values, and different ones otherwise', () => {
    expect(reply(['a', 'b'], 'c')).toBe(reply(['a', 'b'], 'c'));
    const others = [reply(['a', 'x'], 'c'), reply(['a'], 'c'), reply(['a', 'b'], 'd'), reply(['a', 'b'], 'c', {})];
    expect(others).not.toContain(reply(['a', 'b'], 'c'));
  });

  test('asks for the facts that the message did not bring', () => {
    expect(reply([], 'Hi', { name: 'Ada' })).toBe(
      'Turn 1: you said "Hi". I know: name = Ada. Could you tell me your order?',
    );
    expect(reply([], 'Hi', {})).toBe('Turn 1: you said "Hi". Could you tell me your name, order?');
    expect(reply([], questions.count, {})).toBe('This is turn 1. Could you tell me your name, order?');
  });

  test('quotes long messages and values in part', () => {
    const long = 'x'.repeat(500);
    expect(reply([long], long, { name: long, order: 'o' }).length).toBeLessThan(500);
  });

  const earlier = ['My cat is Tom.', questions.remember('K-12'), `${questions.remember('K-34')} please`];
  test.each<[string, readonly string[], string, string]>([
    ['for the first message', earlier, questions.first, 'First you told me: "My cat is Tom."'],
    [
      'for the first message, long forgotten turns ago',
      [...earlier, 'd', 'e', 'f'],
      questions.first,
      '"My cat is Tom."',
    ],
    ['without an earlier message', [], questions.first, 'You have told me nothing before this.'],
    ['for the message of a turn', earlier, questions.inTurn(2), `In turn 2 you said: "${questions.remember('K-12')}"`],
    ['that a turn is forgotten', [...earlier, 'd'], questions.inTurn(2), 'I no longer know what you said in turn 2.'],
    ['that there was no such turn', earlier, questions.inTurn(4), 'There was no turn 4 before this one.'],
    ['for turn 0, which does not exist', earlier, questions.inTurn(0), 'There was no turn 0 before this one.'],
    ['for all messages', ['a', 'b'], questions.list, 'You said:\n1. a\n2. b I know'],
    ['the number of the turn', earlier, questions.count, 'This is turn 4.'],
    ['a code that it will remember', [], questions.remember('Z9'), 'I will remember the code Z9'],
    ['for the latest code', earlier, questions.recall, 'The code you told me is K-34'],
    ['for a code, without one', ['a'], questions.recall, 'You have told me no code.'],
    ['a tag, wherever it stands', ['a'], `Where is my order? ${questions.echo('t-17-x')}`, 'Tag: t-17-x'],
  ])('on request, contains %s', (_, said, question, answer) => {
    expect(reply(said, question)).toContain(answer);
  });

  test('answers several questions in one message', () => {
    const answer = reply(['a'], `${questions.first} ${questions.echo('tag')}`);
    expect(answer).toMatch(/^First you told me: "a" Tag: tag I know/);
  });
});
