import type { EmbeddedOptions } from '../../../src/scenario/embedded.ts';
import { questions } from '../../../src/protocol/chat-messaging/questions.ts';
import { openService } from '../../support/reference-client.ts';
import {
  openSpoiledApi,
  type ApiEvent,
  type ApiRequest,
  type ApiResponse,
  type ApiSpoiling,
} from '../../support/spoiling-api.ts';
import type { BrokenRules } from '../row.ts';

export type Fields = Record<string, unknown>;
type Change = (fields: Fields, asked: ApiRequest) => unknown;

/** A rule, and the fault that breaks only this rule. */
export type Breakage = readonly [id: string, spoil: () => ApiSpoiling];

/** Returns the peers that break one rule each: the reference service behind a proxy with one fault. */
export function brokenBy(
  breakages: readonly Breakage[],
  { maxExchanges = 20, ...options }: EmbeddedOptions & { maxExchanges?: number } = {},
): BrokenRules {
  const open = async (spoiling: ApiSpoiling): Promise<string> => {
    const { baseUrl } = await openService({ stream: { gap: '1ms' }, ...options });
    return openSpoiledApi(baseUrl, spoiling);
  };
  return {
    broken: breakages.map(([id, spoil]) => [id, () => open(spoil())]),
    sound: () => open({}),
    maxExchanges,
  };
}

/** Spoils good non-streamed replies. */
export function inReply(change: Change): ApiSpoiling {
  return inBack((back, asked) => change(back.body as Fields, asked));
}

export function inBack(change: (back: ApiResponse, asked: ApiRequest) => unknown): ApiSpoiling {
  return {
    onReturn: (back, asked) => {
      if (back.status === 200) change(back, asked);
    },
  };
}

/** Spoils refusals that a test picks out. */
export function refusing(
  picks: (asked: ApiRequest) => boolean,
  change: (back: ApiResponse, asked: ApiRequest) => void,
): ApiSpoiling {
  return {
    onReturn: (back, asked) => {
      if (back.status >= 400 && picks(asked)) change(back, asked);
    },
  };
}

/** Spoils events that a test picks out. */
export function inEvents(
  picks: (event: ApiEvent, fields: Fields) => boolean,
  spoil: (event: ApiEvent, fields: Fields) => readonly ApiEvent[],
): ApiSpoiling {
  return {
    onEvent: (event) => {
      const fields = membersOf(event);
      return picks(event, fields) ? spoil(event, fields) : [event];
    },
  };
}

export function membersOf({ data }: ApiEvent): Fields {
  return typeof data === 'string' ? {} : (data as Fields);
}

export function ofType(type: string): (event: ApiEvent) => boolean {
  return (event) => event.type === type;
}

export function at(value: unknown, ...path: (string | number)[]): Fields {
  return path.reduce<unknown>((inner, name) => (inner as Record<string | number, unknown>)[name], value) as Fields;
}

/** Reports whether the key was made up by the check. */
export function isMade({ key }: ApiRequest): boolean {
  return key.startsWith('chat-load-check');
}

export function put(status: number): (back: ApiResponse) => void {
  return (back) => {
    back.status = status;
  };
}

export function lacks(name: string): (asked: ApiRequest) => boolean {
  return ({ fields, body }) => body.endsWith('}') && !(name in fields);
}

export function asksToRecall({ body }: ApiRequest): boolean {
  return body.includes(questions.recall);
}

/** The model is asked for another tag than the client requested. */
export function otherTag(isStreamed: (asked: ApiRequest) => boolean): ApiSpoiling {
  return {
    onWay: (asked) => {
      if (isStreamed(asked)) asked.body = asked.body.replace(/Repeat this tag: \w+/, 'Repeat this tag: none');
      return undefined;
    },
  };
}

/** An event that is not JSON. */
export const garbage: ApiEvent = { type: '', data: 'over' };
