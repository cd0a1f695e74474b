import { questions } from '../../../src/protocol/chat-messaging/questions.ts';
import { longQuestion } from '../../../src/conformance/talk-rules.ts';
import { keyRefusal, type SocketFrame, type SocketSpoiling } from '../../support/socket-model.ts';
import type { BrokenRules } from '../row.ts';

/** A rule, and the fault that breaks only this rule. */
export type SocketBreakage = readonly [id: string, spoil: () => SocketSpoiling];

/** Returns the peers that break one rule each: a model over WebSocket with one fault. */
export function brokenSockets(
  open: (spoiling: SocketSpoiling) => Promise<string>,
  breakages: readonly SocketBreakage[],
): BrokenRules {
  return {
    broken: breakages.map(([id, spoil]) => [id, () => open(spoil())]),
    sound: () => open({}),
    maxExchanges: 40,
  };
}

/** Number of the reply whose events the rules examine: the opening and the next message precede it. */
export const examined = 3;

/** Changes the events of one type in the examined reply. */
export function inExamined(
  type: string,
  spoil: (event: SocketFrame) => readonly (SocketFrame | string)[],
): SocketSpoiling {
  return { onEvent: (event, nth) => (nth === examined && event.type === type ? spoil(event) : [event]) };
}

/** Changes the text of a user's message in place of the client. */
const inText = (picks: (text: string) => boolean, replace: (text: string) => string): SocketSpoiling => ({
  onFrame: (frame, text) => {
    if (picks(text)) Object.assign(frame, JSON.parse(replace(text)));
    return undefined;
  },
});

/** Faults of the rules that all protocols over WebSocket share. `refusal`: answers a frame if it begins a turn. */
export function sharedBreakages(refusal: (frame: SocketFrame) => readonly SocketFrame[] | undefined): SocketBreakage[] {
  let tags = 0;
  return [
    [
      'memory',
      () =>
        inText(
          (text) => text.includes(questions.recall),
          (text) => text.replace(questions.recall, 'Hello.'),
        ),
    ],
    ['socket-kept', () => ({ onEnd: (ws, nth) => nth === 1 && ws.close(1000) })],
    [
      'stream-begins',
      () => ({
        onEvent: (event, nth) => (nth === examined ? [] : [event]),
        onEnd: (ws, nth) => nth === examined && ws.close(1000),
      }),
    ],
    ['upgrade', refusingFirst],
    [
      'stream-text',
      () => {
        tags = 0;
        return inText(
          (text) => text.includes('Repeat this tag') && ++tags === 2,
          (text) => text.replace(/Repeat this tag: \w+/, 'Repeat this tag: none'),
        );
      },
    ],
    ['stream-unbuffered', () => ({ gathers: true })],
    ['leaving', breakingAfterLeaving(refusal)],
    [
      'key-wrong',
      () => ({ refuses: (key) => (key.startsWith('chat-load-check') ? { ...keyRefusal, status: 409 } : undefined) }),
    ],
    ['key-missing', () => ({ refuses: (key) => (key === '' ? { ...keyRefusal, status: 409 } : undefined) })],
    [
      'refusal-body',
      () => ({
        refuses: (key) =>
          key.startsWith('chat-load-check') ? { status: 401, body: { reason: 'No such key' } } : undefined,
      }),
    ],
  ];
}

/** Refuses the message after one whose client left. */
function breakingAfterLeaving(refusal: (frame: SocketFrame) => readonly SocketFrame[] | undefined) {
  return (): SocketSpoiling => {
    let hasLeft = false;
    return {
      onFrame: (frame, text) => {
        if (text.includes(longQuestion)) {
          hasLeft = true;
          return undefined;
        }
        if (!hasLeft) return undefined;
        const refused = refusal(frame);
        if (refused !== undefined) hasLeft = false;
        return refused;
      },
    };
  };
}

/** Answers the first upgrade without opening a socket. */
function refusingFirst(): SocketSpoiling {
  let isFirst = true;
  return {
    refuses: () => {
      const refusal = isFirst ? { status: 200, body: {} } : undefined;
      isFirst = false;
      return refusal;
    },
  };
}
