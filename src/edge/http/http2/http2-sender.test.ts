import { describe, expect, test } from 'vitest';
import { createRoute } from '../../../protocol/chat-messaging/chat-messaging.ts';
import { composeRequestHead } from '../request/request-head.ts';
import { ownFields, requestFields } from './http2-sender.ts';

describe('the fields of a request over HTTP/2', () => {
  test('equal the fields of HTTP/1.1, without its connection and its length', () => {
    const head = composeRequestHead({
      baseUrl: new URL('https://host:8443/base'),
      route: createRoute('/x?y=1'),
      authorization: { Authorization: 'Bearer a: b' },
      toolVersion: '0',
    });
    expect(requestFields(head, 'https')).toEqual({
      ':method': 'POST',
      ':scheme': 'https',
      ':authority': 'host:8443',
      ':path': '/base/x?y=1',
      authorization: 'Bearer a: b',
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'chat-load/0',
    });
  });

  test('of one request are its lines, grouped by name', () => {
    expect(ownFields('X-Tenant: a\r\nCookie: a=1\r\nCookie: b=2\r\nX-Tenant: b\r\n')).toEqual({
      'x-tenant': ['a', 'b'],
      cookie: 'a=1; b=2',
    });
    expect(ownFields('')).toEqual({});
  });
});
