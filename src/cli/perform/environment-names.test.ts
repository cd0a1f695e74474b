import { expect, test } from 'vitest';
import { misspeltVariables } from './resolve-scenario-file.ts';

test('a misspelt variable is reported with the nearest known name', () => {
  expect(misspeltVariables({ CHAT_LOAD_MAX_TURN: '5', CHAT_LOAD_APIKEY: 'k' })).toEqual([
    'warning: CHAT_LOAD_MAX_TURN is unknown: did you mean CHAT_LOAD_MAX_TURNS?',
    'warning: CHAT_LOAD_APIKEY is unknown: did you mean CHAT_LOAD_API_KEY?',
  ]);
});

test('known variables and variables of an author are not reported', () => {
  const environment = { CHAT_LOAD_CACHE: '/tmp', CHAT_LOAD_RATE: '1', CHAT_LOAD_CUSTOMER_DIRECTORY: 'x', PATH: '' };
  expect(misspeltVariables(environment)).toEqual([]);
});
