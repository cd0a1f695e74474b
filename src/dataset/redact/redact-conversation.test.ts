import { expect, test, describe } from 'vitest';
import { findPersonal, redactConversation } from './redact-conversation.ts';
import { mask, passesIban, passesLuhn } from './personal-rules.ts';

const said = (...contents: readonly string[]) => ({
  messages: contents.map((content) => ({ role: 'user' as const, content })),
});

test('the same value has the same placeholder in a conversation, another value another one', () => {
  const { conversation, counts } = redactConversation({
    id: 'of ada@example.com',
    ...said('I am ada@example.com, 415-555-0132.', 'Not bob@example.com: ADA@example.com, (415) 555 0132!'),
  });
  expect(conversation).toEqual({
    id: 'of <mail-1>',
    ...said('I am <mail-1>, <phone-1>.', 'Not <mail-2>: <mail-1>, <phone-1>!'),
  });
  expect(Object.fromEntries(counts)).toEqual({ mail: 4, phone: 2 });
});

test('placeholders start again with every conversation', () => {
  for (const name of ['ada', 'bob'])
    expect(redactConversation(said(`${name}@example.com`)).conversation).toEqual(said('<mail-1>'));
});

test('redacted text contains nothing more to find', () => {
  const { conversation } = redactConversation(said('a@b.example 93.184.216.34 4111111111111111 +4915123456789'));
  expect(conversation.messages.flatMap(({ content }) => findPersonal(content))).toEqual([]);
});

test('a shape shows nothing of a value', () => {
  expect(mask('ada.l@example.com')).toBe('xxx.x@xxxxxxx.xxx');
  expect(mask('+44 20 7946')).toBe('+00 00 0000');
  expect(mask('ключ\u001b[31m$')).toBe('xxxx??00x?');
  expect(mask('x'.repeat(1000))).toHaveLength(41);
});

const foundIn = (text: string): string[] =>
  findPersonal(text).map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`);

describe('personal data', () => {
  test.each([
    'mail ada@example.com',
    'mail ada.lovelace+news@mail.example.co.uk',
    'mail jürgen@müller.example',
    'phone +44 20 7946 0958',
    'phone +4915123456789',
    'phone +1 (415) 555-0132',
    'phone 0044 20 7946 0958',
    'phone (415) 555-0132',
    'phone 415-555-0132',
    'phone 030 901820-00',
    'phone 06 12 34 56 78',
    'phone (030) 901820',
    'phone +49 301234',
    'phone 0151 1234 5678',
    'card 4111 1111 1111 1111',
    'card 4111 1111 1111 1111 12/27',
    'card 4111-1111-1111-1111 12/2027',
    'card 5500005555555559',
    'card 3782-822463-10005',
    'card 4000000000000001236',
    'card 2720999999999996',
    'card 30569309025904',
    'card 3530111333300000',
    'card 6011111111111117',
    'card 6200000000000005',
    'iban DE89 3704 0044 0532 0130 00',
    'iban GB29NWBK60161331926819',
    'iban NO9386011117947',
    'ip 93.184.216.34',
    'ip 172.32.0.1',
    'ip 169.253.1.1',
    'ip 223.255.255.1',
    'ip 2001:db8:85a3::8a2e:370:7334',
    'ip 2001:0db8:85a3:0000:0000:8a2e:0370:7334',
    'key sk-proj-abcdEFGH1234ijklMNOP5678',
    'key ghp_abcdefghijklmnopqrstuvwxyz0123456789',
    'key AKIAIOSFODNN7EXAMPLE',
    'key xoxb-1234567890-abcdef',
  ])('is %s', (expected) => {
    const value = expected.slice(expected.indexOf(' ') + 1);
    expect(foundIn(value)).toEqual([expected]);
    expect(foundIn(`Write to ${value}, please.`)).toEqual([expected]);
    expect(foundIn(`(${value})`).map((found) => found.replace(/[()]+/g, ''))).toEqual([expected.replace(/[()]+/g, '')]);
  });

  test('is a card right before a stroke', () => {
    expect(foundIn('4111111111111111/27')).toEqual(['card 4111111111111111']);
  });

  test('is a bare number after a word that announces one', () => {
    expect(foundIn('my phone number is 15551234567')).toEqual(['phone 15551234567']);
    expect(foundIn('Handynummer: 015112345678')).toEqual(['phone 015112345678']);
    expect(foundIn('my order number is 15551234567')).toEqual([]);
  });

  test('is a token and a private key', () => {
    const token = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${'a1'.repeat(20)}`;
    expect(findPersonal(`Authorization: Bearer ${token}`)).toHaveLength(1);
    expect(foundIn('-----BEGIN PRIVATE KEY-----\nMIIE+x/y==\n-----END PRIVATE KEY-----')).toHaveLength(1);
  });
});

describe('text without personal data', () => {
  test.each([
    'on 2026-01-31 or 31.01.2026 or 01/31/2026',
    'at 12:30:45, 2026-01-31T12:30:45.123Z, 2026-01-31 12:30',
    'from 2010-2026, 1990 2000 2010 2020',
    'order 4711, ORD-20260131-0007, #100200300400, order 0012345678',
    '$1,234,567.89, 1.234.567,89 €, 1 234 567 €, 12 000 000 USD',
    'version 10.2.3.4 and v1.22.333.4444, section 4.3.2.1',
    '127.0.0.1, 10.0.0.1, 192.168.1.1, 172.16.0.1, 172.31.255.1, 169.254.1.1, 224.0.0.1, 255.255.255.0, 0.0.0.0',
    '300.1.2.3 and 1.2.3.4.5',
    'std::vector, a::b::c, dead::beef, 12:30, 10:20:30:40',
    'card 4111 1111 1111 1112 and 1234 5678 9012 3456',
    '41 11 11 11 11 11 11 11, 2001:db8:1:2:3:4:5::6, +49 30123, 0151 1234 56789',
    'DE89 3704 0044 0532 0130 01',
    'user@localhost, @ada, a@b, logo@2x.png, x@y.z',
    'sk-learn, ask-me-anything-about-everything-else, sk-something-with-many-words-inside',
    '3.14159265358979, 1e100, 0xdeadbeef, 1,000,000,000',
    'ISBN 978-3-16-148410-0, 550e8400-e29b-41d4-a716-446655440000',
    'sha 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12, 1700000000, 1700000000000',
    '1 2 3 4 5 6 7 8 9 10, 100 200 300 400',
    'coordinates 52.520008, 13.404954',
    'EAN 4006381333931, matrix 10 20 30 40 50',
  ])('is in %s', (text) => {
    expect(foundIn(text)).toEqual([]);
  });
});

describe('a search', () => {
  test('normalizes every spelling of a value', () => {
    const [first, second] = findPersonal('+44 20 7946 0958 is +44-20-7946-0958');
    expect(first?.value).toBe(second?.value);
  });

  test.each([
    ['digits', '1 '],
    ['mails that do not end', 'a@a.'],
    ['dots', '1.1.1.1.'],
    ['colons', 'a1:'],
    ['at signs', 'a.b+c@'],
    ['capitals', 'DE89 '],
    ['tokens', 'eyJhbGciOi'],
    ['keys', '-----BEGIN PRIVATE KEY-----'],
    ['pluses', '+1 '],
    ['zeroes', '0 '],
  ])('of a long text of %s ends', (_, piece) => {
    // A backtracking expression would take hours.
    expect(findPersonal(piece.repeat(50_000)).length).toBeLessThanOrEqual(50_000);
  });

  test('of many matches ends', () => {
    expect(findPersonal('ada@example.com +44 20 7946 0958 '.repeat(20_000))).toHaveLength(40_000);
  });
});

test.each([
  ['4111111111111111', true],
  ['4111111111111112', false],
  ['79927398713', true],
  ['79927398710', false],
])('Luhn: %s is %s', (digits, passes) => {
  expect(passesLuhn(digits)).toBe(passes);
});

test.each([
  ['DE89370400440532013000', true],
  ['FR1420041010050500013M02606', true],
  ['DE89370400440532013001', false],
])('IBAN: %s is %s', (account, passes) => {
  expect(passesIban(account)).toBe(passes);
});
