import { portBreakages } from './port.ts';
import { at, brokenBy, inEvents, inReply, ofType, type Breakage } from './spoil.ts';

const breakages: Breakage[] = [
  ...portBreakages({
    required: ['messages'],
    readable: () => inReply((reply) => (at(reply, 'output', 'message')['content'] = 'Hello')),
    streamReadable: () =>
      inEvents(ofType('contentBlockDelta'), (event, fields) => [{ ...event, data: { ...fields, delta: 'Hello' } }]),
    isStreamed: ({ path }) => path.endsWith('/converse-stream'),
    hasErrorFormat: true,
  }),
  ['role', () => inReply((reply) => (at(reply, 'output', 'message')['role'] = 'bot'))],
  ['stop-reason', () => inReply((reply) => (reply['stopReason'] = ''))],
  ['usage', () => inReply((reply) => (reply['usage'] = { tokens: 3 }))],
  ['stream-first', () => inEvents(ofType('messageStart'), (event) => [event, event])],
  ['stream-blocks', () => inEvents(ofType('contentBlockStop'), () => [])],
  ['stream-end', () => inEvents(ofType('messageStop'), (event) => [event, event])],
  ['stream-finish', () => inEvents(ofType('messageStop'), (event) => [{ ...event, data: {} }])],
  [
    'stream-usage',
    () => inEvents(ofType('metadata'), (event, fields) => [{ ...event, data: { ...fields, usage: {} } }]),
  ],
];

export const { broken, sound, maxExchanges } = brokenBy(breakages);
