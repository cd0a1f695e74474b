import picocolors from 'picocolors';
import { expect, test } from 'vitest';
import type { Contact, ContactExchange } from '../../conformance/contact/contact.ts';
import { contactFacts } from './contact-facts.ts';
import { findingsOf, type Examined } from './findings.ts';
import { renderContact } from './render-contact.ts';

const response: ContactExchange['response'] = {
  status: 200,
  version: 'HTTP/1.1',
  contentType: 'application/json',
  fields: [],
  detail: '',
  firstByteMs: 1,
  totalMs: 1,
  body: '{}',
  bodyLength: 2,
  events: undefined,
  content: undefined,
};
const reading: ContactExchange['reading'] = {
  outcome: 'ok',
  detail: '',
  text: 'It is QX1.',
  id: undefined,
  usage: undefined,
  calls: [],
  lacksDone: false,
  notes: [{ rule: 'content_parts', detail: 'x' }],
};
const request = { method: 'POST', url: 'http://host/m', fields: [], body: '' };
const turn = (number: number, everyMs: number): ContactExchange[] => [
  { turn: number, request, response, reading: undefined },
  { turn: number, request, response, reading, polled: { afterMs: 503, count: 1, everyMs } },
];
const contactOf = (everyMs: number, protocol = 'openai-chat'): Contact => ({
  target: {
    baseUrl: 'http://host',
    isEmbedded: false,
    agentId: '',
    protocol,
    isByPath: false,
    history: 'service',
    stream: false,
    canStream: false,
    isOpen: true,
    isGuarded: false,
  },
  address: '',
  tls: null,
  exchanges: [1, 2, 3].flatMap((number) => turn(number, everyMs)),
  code: 'QX1',
  streamed: undefined,
  found: undefined,
  signal: undefined,
});
const examined = {
  plan: { name: 'x', target: { proxy: null } },
  differs: false,
  sockets: { needs: { expected: 1 }, byDescriptors: null, byPorts: null, shortages: [] },
  cores: { cores: 1 },
  availableCores: 2,
  proxies: { set: [], used: undefined, isExempt: false },
  certificate: null,
  metrics: [],
} as unknown as Examined;
const findingAbout = (subject: string, contact: Contact) =>
  findingsOf(contact, examined).find((each) => each.subject === subject);

test('a polled reply is one exchange after the acknowledgement, with the time of the reply and its polls', () => {
  const text = renderContact(
    contactOf(500),
    { words: '', command: [] },
    { width: 100, colors: picocolors.createColors(false) },
  );
  expect(text.match(/^turn .*/gm)).toEqual([
    'turn 1',
    ...[1, 2, 3].map((number) => `turn ${String(number)}  200 HTTP/1.1, reply after 503 ms, 1 poll every 500 ms`),
  ]);
  expect(text).not.toContain('not read');
});

test('the verdict states the turn whose stream it describes', () => {
  const { target, exchanges, ...contact } = contactOf(500);
  const content = { firstMs: 215, lastMs: 340, events: 7 };
  const streamed = exchanges.map((each) => ({ ...each, response: { ...response, totalMs: 340, events: [], content } }));
  const facts = contactFacts({ ...contact, target: { ...target, stream: true }, exchanges: streamed });
  expect(Object.fromEntries(facts)['streaming']).toBe('7 content events over 125 ms, the first after 215 ms (turn 3)');
});

test('polls are a finding, with a remedy if their interval is long for the reply', () => {
  expect(findingAbout('polls', contactOf(500))).toMatchObject({
    isFine: false,
    text: 'replies are polled every 500 ms: latencies of turns and attempts are known up to 500 ms',
    remedy: expect.stringContaining('Shorten reply.then.poll.every') as string,
  });
  expect(findingAbout('polls', contactOf(50))?.isFine).toBe(true);
});

test('notes of replies are one finding, and check names them where it has rules', () => {
  expect(findingAbout('notes', contactOf(500))).toMatchObject({
    isFine: false,
    text: 'replies deviate from their description. The content is a list of parts instead of a text',
    remedy: 'Runs read them, and count them as notes. chat-load check names them by rule.',
  });
  expect(findingAbout('notes', contactOf(500, 'own'))?.remedy).not.toContain('check');
});
