import { portBreakages } from './port.ts';
import { at, brokenBy, inEvents, inReply, type Breakage, type Fields } from './spoil.ts';

const candidate = (response: Fields): Fields => at(response, 'candidates', 0);
const isLast = (_: unknown, response: Fields): boolean => 'finishReason' in candidate(response);

const breakages: Breakage[] = [
  ...portBreakages({
    required: ['contents'],
    readable: () => inReply((reply) => (at(candidate(reply), 'content')['parts'] = 'Hello')),
    streamReadable: () =>
      inEvents(
        (_, fields) => !isLast(_, fields),
        (event, fields) => {
          const content = at(candidate(fields), 'content');
          content['parts'] = at(content, 'parts', 0)['text'];
          return [event];
        },
      ),
    isStreamed: ({ path }) => path.includes(':streamGenerateContent'),
    hasErrorFormat: true,
  }),
  ['role', () => inReply((reply) => (at(candidate(reply), 'content')['role'] = 'bot'))],
  ['finish', () => inReply((reply) => (candidate(reply)['finishReason'] = ''))],
  ['usage', () => inReply((reply) => (reply['usageMetadata'] = { tokens: 3 }))],
  [
    'stream-candidates',
    () => inEvents(isLast, (event, fields) => [{ ...event, data: { modelVersion: fields['modelVersion'] } }, event]),
  ],
  [
    'stream-index',
    () =>
      inEvents(isLast, (event, fields) => [
        { ...event, data: { ...fields, candidates: [{ ...candidate(fields), index: 1 }] } },
      ]),
  ],
  ['stream-id', () => inEvents(isLast, (event, fields) => [{ ...event, data: { ...fields, responseId: 'other' } }])],
  ['stream-finish', () => inEvents(isLast, (event) => [event, event])],
  [
    'stream-usage',
    () => inEvents(isLast, (event, fields) => [{ ...event, data: { ...fields, usageMetadata: undefined } }]),
  ],
];

export const { broken, sound, maxExchanges } = brokenBy(breakages);
