import type { ApiEvent, ApiRequest, ApiSpoiling } from '../../support/spoiling-api.ts';
import { questions } from '../../../src/protocol/chat-messaging/questions.ts';
import type { BrokenRules } from '../row.ts';
import { portBreakages } from './port.ts';
import { at, brokenBy, inEvents, inReply, type Breakage, type Fields } from './spoil.ts';

const stateIn = ({ result }: Fields): unknown => {
  const { statusUpdate } = result as { statusUpdate?: { status: { state: string } } };
  return statusUpdate?.status.state;
};
const isEnd = (_: ApiEvent, fields: Fields): boolean => stateIn(fields) === 'TASK_STATE_COMPLETED';
const isFirst = (_: ApiEvent, { result }: Fields): boolean => 'task' in (result as object);

/** Returns an event with another result. */
const withResult = (event: ApiEvent, result: object): ApiEvent => ({
  ...event,
  data: { ...(event.data as object), result },
});

const artifactIn = ({ result }: Fields): Fields | undefined =>
  (result as Fields | undefined)?.['artifactUpdate'] as Fields;
const isArtifact = (_: ApiEvent, fields: Fields): boolean => artifactIn(fields) !== undefined;

/** Changes the task of a reply. */
const inTask = (change: (task: Fields) => unknown): ApiSpoiling =>
  inReply((reply) => reply['result'] !== undefined && change(at(reply, 'result', 'task')));

/** Hides the context from the client, and knows it in the next message. */
function hiddenContext(): ApiSpoiling {
  let contextId: unknown;
  return {
    onWay: (asked) => {
      if (asked.body.includes(questions.recall)) {
        at(asked.fields, 'params', 'message')['contextId'] = contextId;
        asked.body = JSON.stringify(asked.fields);
      }
      return undefined;
    },
    onReturn: ({ body }, asked) => {
      if (!asked.body.includes(questions.remember(''))) return;
      const task = at(body, 'result', 'task');
      contextId = task['contextId'];
      delete task['contextId'];
    },
  };
}

/** Errors with the code of an internal error; their status is 200. */
const otherCode = (picks: (asked: ApiRequest) => boolean): ApiSpoiling => ({
  only: picks,
  onReturn: (back) => {
    at(back.body, 'error')['code'] = -32603;
  },
});

const breakages: Breakage[] = [
  ...portBreakages({
    required: [],
    readable: () => inReply((reply) => (reply['result'] = 'Hello')),
    streamReadable: () =>
      inEvents(isEnd, (event, fields) => [
        withResult(event, { artifactUpdate: { artifact: 'Hello' } }),
        { ...event, data: fields },
      ]),
    isStreamed: ({ fields }) => fields['method'] === 'SendStreamingMessage',
    hasErrorFormat: false,
  }).filter(([id]) => id !== 'not-json'),
  ['not-json', () => otherCode(({ body }) => !body.endsWith('}'))],
  ['form', () => inTask((task) => (at(task, 'artifacts', 0, 'parts', 0)['kind'] = 'text'))],
  [
    'artifact',
    () =>
      inTask((task) => {
        task['history'] = [{ role: 'ROLE_AGENT', parts: at(task, 'artifacts', 0)['parts'] }];
        delete task['artifacts'];
      }),
  ],
  [
    'stream-form',
    () =>
      inEvents(isArtifact, (event, fields) => {
        at(artifactIn(fields), 'artifact', 'parts', 0)['kind'] = 'text';
        return [event];
      }),
  ],
  [
    'stream-artifact',
    () =>
      inEvents(isArtifact, (event, fields) => {
        delete artifactIn(fields)?.['append'];
        return [event];
      }),
  ],
  ['envelope', () => inReply((reply) => (reply['jsonrpc'] = '1.0'))],
  ['context', hiddenContext],
  ['stream-result', () => inEvents(isEnd, (event) => [withResult(event, {}), event])],
  [
    'stream-first',
    () =>
      inEvents(isFirst, (event) => [
        withResult(event, { statusUpdate: { status: { state: 'TASK_STATE_WORKING' } } }),
        event,
      ]),
  ],
  [
    'stream-end',
    () =>
      inEvents(isEnd, (event) => [
        event,
        withResult(event, { artifactUpdate: { artifact: { artifactId: 'late', parts: [] } } }),
      ]),
  ],
  ['method-unknown', () => otherCode(({ fields }) => fields['method'] === 'NoSuchMethod')],
];

const peers: BrokenRules = brokenBy(breakages);

/** The agent is found at the URL of its interface. */
const interfaceOf = (open: () => Promise<string>) => async (): Promise<string> => `${await open()}/a2a`;

export const broken: BrokenRules['broken'] = peers.broken.map(([id, open]) => [id, interfaceOf(open)]);
export const sound = interfaceOf(peers.sound);
export const { maxExchanges } = peers;
