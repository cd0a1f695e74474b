import { describe, expect, test } from 'vitest';
import { ChatLoadError } from '../../../base/errors.ts';
import { checkApiKey, checkBaseUrl, composeRequest, composeRequestHead } from './request-head.ts';
import { createRoute } from '../../../protocol/chat-messaging/chat-messaging.ts';

const firstLines = (baseUrl: string, path: string): string[] =>
  composeRequestHead({ baseUrl: new URL(baseUrl), route: createRoute(path), authorization: {}, toolVersion: '0' })
    .split('\r\n')
    .slice(0, 2);

const refusal = (act: () => void): ChatLoadError => {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof ChatLoadError) return thrown;
  }
  throw new Error('it was not refused');
};

describe('the head of a request', () => {
  test.each([
    ['http://host', '/api/x', 'POST /api/x HTTP/1.1', 'Host: host'],
    ['http://host:8080/', '/api/x', 'POST /api/x HTTP/1.1', 'Host: host:8080'],
    ['https://host:443/pre/fix/', 'api/x?v=1', 'POST /pre/fix/api/x?v=1 HTTP/1.1', 'Host: host'],
    ['http://[::1]:81/a', '/x y/ü', 'POST /a/x%20y/%C3%BC HTTP/1.1', 'Host: [::1]:81'],
    ['http://bücher.example', '/x\r\nEvil: 1', 'POST /xEvil:%201 HTTP/1.1', 'Host: xn--bcher-kva.example'],
  ])('for %s and %j has the right destination', (baseUrl, path, ...lines) => {
    expect(firstLines(baseUrl, path)).toEqual(lines);
  });

  test('has one field that authorizes: that of its route replaces the key', () => {
    const route = { ...createRoute('/x'), headers: { authorization: 'own' } };
    const aim = {
      baseUrl: new URL('http://host'),
      route,
      authorization: { Authorization: 'Bearer k' },
      toolVersion: '0',
    };
    expect(composeRequestHead(aim).match(/^authorization: .*$/gim)).toEqual(['authorization: own']);
  });

  test('is completed with the length of the body in bytes', () => {
    expect(composeRequest('Content-Length: ', { body: '{"a":1}' })).toEqual({
      text: 'Content-Length: 7\r\n\r\n{"a":1}',
      encoding: 'latin1',
      bytes: 28,
    });
    for (const body of ['é', '\xff', '✓', '😀', '\ud800']) {
      const { text, encoding, bytes } = composeRequest('Content-Length: ', { body });
      expect(encoding).toBe('utf8');
      expect(text).toBe(`Content-Length: ${String(Buffer.from(body).length)}\r\n\r\n${body}`);
      expect(bytes).toBe(Buffer.from(text).length);
    }
  });

  test.each([
    ['GET', '', []],
    ['DELETE', '', []],
    ['GET', '{}', ['Content-Length: 2']],
    ['POST', '', ['Content-Length: 0']],
    ['PUT', '', ['Content-Length: 0']],
  ])('has no length without a body, unless the method expects one: %s %j', (method, body, lengths) => {
    const route = { ...createRoute('/x'), method };
    const head = composeRequestHead({ baseUrl: new URL('http://host'), route, authorization: {}, toolVersion: '0' });
    const { text, bytes, encoding } = composeRequest(head, { body, fields: 'A: 1\r\n' });
    expect(text.match(/^Content-Length: .*$/gm) ?? []).toEqual(lengths);
    expect(text.endsWith(`\r\nA: 1\r\n\r\n${body}`)).toBe(true);
    expect(Buffer.from(text, encoding)).toHaveLength(bytes);
  });

  test('takes the fields of one request after the length, in Latin-1 next to a body in UTF-8', () => {
    const onWire = (body: string, fields: string): string => {
      const { text, encoding, bytes } = composeRequest('Content-Length: ', { body, fields });
      expect(Buffer.from(text, encoding)).toHaveLength(bytes);
      return Buffer.from(text, encoding).toString('latin1');
    };
    expect(onWire('{}', 'A: 1\r\nB: 2\r\n')).toBe('Content-Length: 2\r\nA: 1\r\nB: 2\r\n\r\n{}');
    expect(onWire('✓', 'A: 1\r\n')).toBe('Content-Length: 3\r\nA: 1\r\n\r\n\xe2\x9c\x93');
    expect(onWire('✓', 'A: \xe9\r\n')).toBe('Content-Length: 3\r\nA: \xe9\r\n\r\n\xe2\x9c\x93');
    expect(onWire('x', 'A: \xe9\r\n')).toBe('Content-Length: 1\r\nA: \xe9\r\n\r\nx');
  });

  test('has the headers of the scenario instead of the default ones, in their own case', () => {
    const head = composeRequestHead({
      baseUrl: new URL('http://host'),
      route: createRoute('/x'),
      authorization: { Authorization: 'Bearer k' },
      toolVersion: '0',
      headers: { constant: { 'user-agent': 'mine/1', 'X-Tenant': 'a' }, ofRequests: ['content-type'] },
    });
    expect(head.split('\r\n').slice(2)).toEqual([
      'Authorization: Bearer k',
      'Accept: application/json',
      'Accept-Encoding: identity',
      'Connection: keep-alive',
      'user-agent: mine/1',
      'X-Tenant: a',
      'Content-Length: ',
    ]);
  });
});

describe('values that no request can contain', () => {
  test.each([
    ['sk-1\n', 'line break'],
    ['sk-1\r\nX-Evil: 1', 'line break'],
    ['', 'empty'],
    ['sk 1', 'character'],
    ['sk-\x00', 'character'],
    ['schlüssel', 'character'],
  ])('is the API key %j, which is not in the error', (apiKey, word) => {
    const { code, message, hint } = refusal(() => checkApiKey(apiKey));
    expect(code).toBe('usage');
    expect(message).toContain(word);
    expect(hint).toContain('CHAT_LOAD_API_KEY');
    if (apiKey !== '') expect(message + hint).not.toContain(apiKey);
  });

  test.each([
    ['ftp://host', 'ftp:'],
    ['http://name@host', 'user name'],
    ['http://:secret@host', 'password'],
    ['http://host/?a=1', 'query'],
    ['http://host/#a', 'fragment'],
  ])('is the base URL %s', (baseUrl, word) => {
    const { code, message } = refusal(() => checkBaseUrl(new URL(baseUrl)));
    expect(code).toBe('usage');
    expect(message).toContain(word);
    expect(message).not.toContain('secret');
  });

  test('is neither a usual key nor a usual base URL', () => {
    expect(() => checkApiKey('sk-aZ09._~+/=!"\\')).not.toThrow();
    expect(() => checkBaseUrl(new URL('https://host:8443/path/'))).not.toThrow();
  });
});
