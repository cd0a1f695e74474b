import type { ApiRequest, ApiSpoiling } from '../../support/spoiling-api.ts';
import { portBreakages } from './port.ts';
import { at, brokenBy, inEvents, inReply, ofType, type Breakage, type Fields } from './spoil.ts';

const isMessage = ({ path }: ApiRequest): boolean => path.includes('/runs/');

/** Sends only the first token of a reply. */
function oneToken(): ApiSpoiling {
  let tokens = 0;
  return inEvents(ofType('messages'), (event) => (tokens++ === 0 ? [event] : []));
}

const breakages: Breakage[] = portBreakages({
  required: ['assistant_id'],
  readable: () => ({ ...inReply((state) => (state['messages'] = 'Hello')), only: isMessage }),
  streamReadable: () => inEvents(ofType('messages'), (event) => [{ ...event, data: ['Hello'] }]),
  isStreamed: ({ path }) => path.endsWith('/runs/stream'),
  hasErrorFormat: false,
});

/** Gives a message a role instead of its type. */
function nameRole(message: Fields): void {
  message['role'] = message['type'] === 'human' ? 'user' : 'assistant';
  delete message['type'];
}

const own: Breakage[] = [
  ['stream-first', () => inEvents(ofType('metadata'), (event) => [event, event])],
  ['stream-run', () => inEvents(ofType('metadata'), (event) => [{ ...event, data: {} }])],
  ['stream-tokens', oneToken],
  ['form', () => inReply((state) => (state['messages'] as Fields[]).forEach(nameRole))],
  [
    'stream-form',
    () =>
      inEvents(ofType('messages'), (event) => {
        nameRole(at(event.data, 0));
        return [event];
      }),
  ],
  ['stream-state', () => inEvents(ofType('values'), () => [{ type: 'end', data: null }])],
];

/** Creations of threads are not messages. */
const ofMessages = ([id, spoil]: Breakage): Breakage => [
  id,
  () => {
    const { only = () => true, ...spoiling } = spoil();
    return { ...spoiling, only: (asked) => isMessage(asked) && only(asked) };
  },
];

export const { broken, sound, maxExchanges } = brokenBy([...breakages, ...own].map(ofMessages), { maxExchanges: 30 });
