import { expect, test } from 'vitest';
import { losesConversation, type EndedMessage as Ended } from './lost-conversation.ts';

const ended: Ended = { outcome: 'http_other', detail: 'status 400: no', failed: undefined, isKnown: true };

test.each<Partial<Ended>>([
  { outcome: 'not_found', detail: 'status 404' },
  { failed: 'restarted' },
  { failed: 'amnesia', isKnown: false },
  { detail: 'status 410: expired' },
  {
    outcome: 'bad_request',
    detail: "status 400, previous_response_not_found: Previous response with id 'r' not found.",
  },
  { outcome: 'server_error', detail: 'status 500: unknown conversation 12' },
  { detail: 'status 422: this session has expired' },
])('a conversation that its service does not know is lost: %j', (more) =>
  expect(losesConversation({ ...ended, ...more })).toBe(true),
);

test.each<Partial<Ended>>([
  // Nothing that the service could have forgotten.
  { outcome: 'not_found', detail: 'status 404', isKnown: false },
  { detail: 'status 410', isKnown: false },
  { outcome: 'bad_request', detail: 'status 400: the session is busy' },
  { outcome: 'server_error', detail: 'status 500' },
])('another refusal is no lost conversation: %j', (more) =>
  expect(losesConversation({ ...ended, ...more })).toBe(false),
);
