import { questions } from '../../../src/protocol/chat-messaging/questions.ts';
import { longQuestion } from '../../../src/conformance/talk-rules.ts';
import type { ApiRequest, ApiSpoiling } from '../../support/spoiling-api.ts';
import { inBack, isMade, lacks, put, refusing, type Breakage } from './spoil.ts';

interface PortFaults {
  /** Members without which a message is refused. */
  required: readonly string[];
  /** Makes non-streamed replies unreadable. */
  readable: () => ApiSpoiling;
  /** Makes streamed replies unreadable. */
  streamReadable: () => ApiSpoiling;
  /** Picks requests for streams among those of messages. */
  isStreamed: (asked: ApiRequest) => boolean;
  /** True if the format of refusals is a rule. */
  hasErrorFormat: boolean;
}

/** Faults of the rules that all protocols share whose rules are made from their port. */
export function portBreakages(faults: PortFaults): Breakage[] {
  const { required, readable, streamReadable, isStreamed, hasErrorFormat } = faults;
  const inStreams = (spoiling: ApiSpoiling) => (): ApiSpoiling => ({ ...spoiling, only: once(isStreamed) });
  return [
    ['status', () => ({ ...inBack(put(201)), streamStatus: 201, only: (asked) => !isStreamed(asked) })],
    ['readable', readable],
    ['memory', forgetting],
    ['stream-begins', inStreams({ onEvent: () => [] })],
    ['stream-type', inStreams({ streamType: 'text/plain' })],
    ['stream-whole', inStreams({ end: 'break' })],
    ['stream-readable', streamReadable],
    ['stream-text', () => otherTagOnce(isStreamed)],
    ['stream-unbuffered', inStreams({ gathers: true })],
    ['leaving', breakingAfterLeaving],
    ['key-wrong', () => refusing(isMade, put(409))],
    ['key-missing', () => refusing(({ hasKey }) => !hasKey, put(409))],
    ['not-json', () => refusing(({ body }) => !body.endsWith('}'), put(409))],
    ...required.map((name): Breakage => [`${name}-missing`, () => refusing(lacks(name), put(409))]),
    ...(hasErrorFormat
      ? [['refusal-body', () => refusing(isMade, (back) => (back.body = { reason: 'No such key' }))] as const]
      : []),
  ];
}

/** Reports whether a request is the first one of the conversation that has to be remembered. */
export function isOpening({ body }: ApiRequest): boolean {
  return body.includes(questions.remember(''));
}

/** Picks the first of these requests: the streamed reply that the rules examine. */
export function once(picks: (asked: ApiRequest) => boolean): (asked: ApiRequest) => boolean {
  let isDone = false;
  return (asked) => !isDone && picks(asked) && (isDone = true);
}

/** The question for the code does not reach the agent. */
function forgetting(): ApiSpoiling {
  return {
    onWay: (asked) => {
      asked.body = asked.body.replace(questions.recall, questions.echo('none'));
      return undefined;
    },
  };
}

/** The first streamed reply repeats another tag. */
function otherTagOnce(isStreamed: (asked: ApiRequest) => boolean): ApiSpoiling {
  return {
    only: once(isStreamed),
    onWay: (asked) => {
      asked.body = asked.body.replace(/Repeat this tag: \w+/, 'Repeat this tag: none');
      return undefined;
    },
  };
}

/** Redirects the message that follows one whose client disconnected. */
function breakingAfterLeaving(): ApiSpoiling {
  let hasLeft = false;
  return {
    onWay: ({ body }) => {
      const isNext = hasLeft;
      hasLeft = body.includes(longQuestion);
      return isNext ? { status: 302, contentType: 'application/json', body: {} } : undefined;
    },
  };
}
