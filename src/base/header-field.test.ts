import { describe, expect, test } from 'vitest';
import { isCredential, maskQuery, nameFault, secretsOf, valueFault } from './header-field.ts';

describe('a header field', () => {
  test.each(['X-Tenant', 'x_1', "a!#$%&'*+-.^`|~"])('may be called %s', (name) => {
    expect(nameFault(name)).toBeUndefined();
  });

  test.each(['', 'X Tenant', 'X:', 'X\r\n', 'é', 'a\x00', '(a)'])('may not be called %j', (name) => {
    expect(nameFault(name)).toBeTypeOf('string');
  });

  test.each(['', 'a b', 'tab\there', 'caf\xe9', '{"a":"b"}'])('may have the value %j', (value) => {
    expect(valueFault(value)).toBeUndefined();
  });

  test.each([
    ['a\r\nX-Evil: 1', 'a line break'],
    ['a\n', 'a line break'],
    ['\r', 'a line break'],
    ['a\x00', 'a control character'],
    ['\x1b[31m', 'a control character'],
    ['\x7f', 'a control character'],
    ['\x9b31m', 'a control character'],
    ['✓', 'a character that is not in Latin-1'],
    ['\u2028', 'a character that is not in Latin-1'],
  ])('may not have the value %j', (value, fault) => {
    expect(valueFault(value)).toBe(fault);
  });

  test('is a credential by its name', () => {
    const names = ['Authorization', 'cookie', 'X-Api-Key', 'X-Auth-Token', 'Client-Secret'];
    expect(names.filter(isCredential)).toEqual(names);
    expect(['X-Tenant', 'User-Agent', 'X-Feature'].filter(isCredential)).toEqual([]);
  });

  test('has its secrets without their labels', () => {
    expect(secretsOf('Bearer abcdefgh-1')).toEqual(['Bearer abcdefgh-1', 'abcdefgh-1']);
    expect(secretsOf('sid=abcdefgh; theme=dark')).toEqual([
      'sid=abcdefgh; theme=dark',
      'sid=abcdefgh',
      'abcdefgh',
      'theme=dark',
    ]);
    expect(secretsOf('short')).toEqual([]);
  });
});

test('values of a query are masked if their names suggest a credential', () => {
  expect(maskQuery('/v1/socket?v=1&access_token=abc=&key={{apiKey}}#token=a')).toBe(
    '/v1/socket?v=1&access_token=[redacted]&key=[redacted]#token=a',
  );
  expect(maskQuery('/keys/abc')).toBe('/keys/abc');
});
