import { expect, test } from 'vitest';
import { talkBy, wholeReply } from '../../test/support/stream-events.ts';
import { chatMessaging } from './chat-messaging/chat-messaging.ts';

test.each([
  [200, '', 'status 200 whose body is empty'],
  [201, '', 'status 201 whose body is empty'],
  [201, '<html>', 'status 201 whose body is not JSON'],
])('a creation answered by %i and %j is malformed: %s', (status, body, detail) => {
  const verdict = talkBy(chatMessaging).open().creation?.read(wholeReply(status, body));
  expect(verdict).toEqual({ outcome: 'malformed', detail, reply: undefined });
});
