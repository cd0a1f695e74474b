import { expect, test } from 'vitest';
import type { ContactExchange } from '../../conformance/contact/contact.ts';
import { redirectRemedy } from './redirect-remedy.ts';

const redirected = (location: string) =>
  ({
    request: { url: 'http://host/chat' },
    response: { fields: location === '' ? [] : [['location', location]] },
  }) as unknown as ContactExchange;

test('a redirect names its destination, and a remedy that leads there', () => {
  expect(redirectRemedy(redirected('/chat/?token=abc&a=1'), false)).toMatch(
    /^It redirects to http:\/\/host\/chat\/\?token=\[redacted\]&a=1, .*: repeat chat-load init .* message\.path/,
  );
  expect(redirectRemedy(redirected('https://other/v2'), true)).toMatch(
    /^It redirects to https:\/\/other\/v2, .*base URL/,
  );
  expect(redirectRemedy(redirected('http://[\u001b[2J'), true)).not.toContain('\u001b');
  expect(redirectRemedy(redirected(''), true)).toMatch(/^It redirects, and redirects are not followed: /);
});
