import { expect, test } from 'vitest';
import { languageOf } from './settle-conversation.ts';

test.each([
  ['en', 'en'],
  ['EN-us', 'en'],
  ['pt_BR', 'pt'],
  ['English', 'en'],
  ['german', 'de'],
  ['Chinese', 'zh'],
  ['Japanese', 'ja'],
  ['unknown', undefined],
  ['Klingon', undefined],
  ['xx', undefined],
  ['', undefined],
  ['__proto__', undefined],
  [undefined, undefined],
])('%s is %s', (stated, code) => {
  expect(languageOf(stated)).toBe(code);
});
