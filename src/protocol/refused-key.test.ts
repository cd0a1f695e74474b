import { expect, test } from 'vitest';
import { keyRemedyOf } from './refused-key.ts';

test('the remedy for a rejected key names only what authorizes requests', () => {
  const ofFile = keyRemedyOf({ auth: 'key', isOfFile: true });
  expect(ofFile).toContain('target.apiKey in the scenario');
  expect(ofFile).not.toMatch(/CHAT_LOAD_API_KEY|clock|region/);
  expect(keyRemedyOf({ auth: 'key', isOfFile: false })).toContain('CHAT_LOAD_API_KEY');
  expect(keyRemedyOf({ auth: 'sigv4', isOfFile: true })).toContain('clock');
  expect(keyRemedyOf({ auth: 'bearer', isOfFile: true })).toContain('target.auth');
});
