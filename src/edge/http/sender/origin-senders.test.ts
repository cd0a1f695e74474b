import { expect, test } from 'vitest';
import { ms } from '../../../base/time.ts';
import type { ChatRequest, HeaderFields } from '../../../protocol/protocol.ts';
import { systemClock } from '../../clock.ts';
import { OriginSenders, optionsTo } from './origin-senders.ts';
import type { Sender, SenderOptions } from './sender-options.ts';

const options: SenderOptions = {
  baseUrl: new URL('https://agent.example/api'),
  apiKey: 'key-of-the-target',
  authorize: (key) => ({ Authorization: `Bearer ${key}` }),
  authorization: { Authorization: 'Bearer token' },
  headers: { constant: { 'X-Team': 'a' }, ofRequests: [] },
  cookies: true,
  toolVersion: '1',
  timeoutMs: ms(1000),
  connectTimeoutMs: ms(1000),
  idleConnectionMs: ms(1000),
  maxHeadBytes: 1000,
  maxBodyBytes: 1000,
  clock: systemClock,
  tls: { ca: 'ca', cert: 'cert', key: 'key', passphrase: 'word', servername: 'a', rejectUnauthorized: false },
};

test('a sender to another origin has nothing that authorizes; one to the origin of the target has all', () => {
  const other = optionsTo('https://other.example', options);
  expect(other).toMatchObject({
    baseUrl: new URL('https://other.example'),
    apiKey: '',
    authorization: {},
    cookies: false,
    tls: { ca: 'ca', rejectUnauthorized: false },
  });
  expect(other.headers).toBeUndefined();
  expect(Object.keys(other.tls ?? {})).toEqual(['ca', 'rejectUnauthorized']);
  expect(other.authorize('any')).toEqual({});
  const own = optionsTo('https://agent.example', options);
  expect(own).toEqual({ ...options, baseUrl: new URL('https://agent.example') });
});

interface Opened {
  baseUrl: string;
  transport: string | undefined;
  sent: { path: string; fields: string | undefined }[];
  renewed: HeaderFields[];
  cuts: number;
}

/** Returns senders that send nothing, and those that were opened. */
function opening() {
  const opened: Opened[] = [];
  const open = ({ baseUrl: { href }, transport }: SenderOptions): Sender => {
    const one: Opened = { baseUrl: href, transport, sent: [], renewed: [], cuts: 0 };
    opened.push(one);
    return {
      send: ({ route: { path }, fields }) => (one.sent.push({ path, fields }), new Promise(() => undefined)),
      authorize: (fields) => void one.renewed.push(fields),
      cut: () => {
        one.cuts++;
      },
      close: () => Promise.resolve(),
      connections: { open: 1, opened: 2 },
      traffic: { bytesSent: 10, bytesReceived: 20 },
      exhausted: { descriptorsExhausted: 1, portsExhausted: 0 },
      transport: () => ({
        proxy: null,
        exchanges: { http1: 3, http2: 0 },
        addresses: [{ address: '192.0.2.1', connections: 1, exchanges: 3 }],
        tls: null,
        http2: null,
        tokens: null,
      }),
    };
  };
  return { opened, senders: new OriginSenders(options, open) };
}

const requestTo = (path: string, origin?: string): ChatRequest => ({
  route: { operation: 'message', method: 'GET', path, origin, headers: {} },
  body: '',
  fields: 'X-Of-The-Scenario: a\r\n',
});

const socket: ChatRequest['socket'] = {
  line: {
    link: undefined,
    observer: { opened: () => undefined, closed: () => undefined, unsolicited: () => undefined },
    pingIntervalMs: undefined,
    meaningOf: () => 'other',
  },
  subprotocols: [],
  greet: () => {
    throw new Error('nothing is sent');
  },
};

test('each origin and transport has one sender, and only those of the target get fields and renewed tokens', () => {
  const { opened, senders } = opening();
  const now = systemClock.now();
  void senders.send(requestTo('/ask'), now);
  for (const path of ['/1', '/2']) void senders.send(requestTo(path, 'https://other.example'), now);
  void senders.send({ ...requestTo('/ws'), socket }, now);
  senders.authorize({ Authorization: 'Bearer renewed' });
  void senders.send({ ...requestTo('/ws', 'https://agent.example'), socket }, now);
  const fields = 'X-Of-The-Scenario: a\r\n';
  const renewed = [{ Authorization: 'Bearer renewed' }];
  expect(opened).toMatchObject([
    { baseUrl: 'https://agent.example/api', transport: undefined, sent: [{ path: '/ask', fields }], renewed },
    {
      baseUrl: 'https://other.example/',
      sent: [
        { path: '/1', fields: '' },
        { path: '/2', fields: '' },
      ],
      renewed: [],
    },
    { baseUrl: 'https://agent.example/api', transport: 'websocket', sent: [{ path: '/ws', fields }], renewed },
    { baseUrl: 'https://agent.example/', transport: 'websocket', sent: [{ path: '/ws', fields }], renewed },
  ]);
});

test('senders are counted together, and cut together, also those that are opened later', () => {
  const { opened, senders } = opening();
  const now = systemClock.now();
  void senders.send(requestTo('/1', 'https://other.example'), now);
  expect(senders.connections).toEqual({ open: 2, opened: 4 });
  expect(senders.traffic).toEqual({ bytesSent: 20, bytesReceived: 40 });
  expect(senders.exhausted).toEqual({ descriptorsExhausted: 2, portsExhausted: 0 });
  expect(senders.transport()).toMatchObject({
    exchanges: { http1: 6, http2: 0 },
    addresses: [{ address: '192.0.2.1', connections: 2, exchanges: 6 }],
  });
  senders.cut();
  void senders.send(requestTo('/1', 'https://late.example'), now);
  expect(opened.map(({ cuts }) => cuts)).toEqual([1, 1, 1]);
});
