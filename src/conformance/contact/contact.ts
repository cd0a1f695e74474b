import type { FinishedClass, AttemptClass } from '../../protocol/outcome.ts';
import type { Note } from '../../protocol/notes.ts';
import type { Usage } from '../../protocol/protocol.ts';
import type { ProtocolName } from '../../protocol/registry/registry.ts';

/** A protocol that a service seems to speak. */
export interface FoundProtocol {
  name: ProtocolName;
  /** URL of its messages. */
  url: string;
  /** True if this URL is below the configured base URL. */
  isBelow: boolean;
  status: number;
  /** 401 or 403: the protocol is there, but the key was refused. */
  isKeyRefused: boolean;
  /** The service's own message: redacted and printable; '' for none. */
  message: string;
}

export interface FoundProtocols {
  /** In the order of `protocolNames`. */
  found: readonly FoundProtocol[];
  /** Number of requests sent. */
  requests: number;
  /** Behaviour of the service for a path that cannot exist: `is answered with status 404`. */
  otherwise: string;
  /** Status of that answer; 0: none. */
  otherStatus: number;
}

/** An event of a streamed reply. */
export interface ContactEvent {
  /** Since the send. */
  atMs: number;
  type: string;
  data: string;
}

/** A response as it was received. */
export interface ContactResponse {
  /** 0: no complete head was received. */
  status: number;
  version: 'HTTP/1.1' | 'HTTP/2' | 'WebSocket';
  contentType: string;
  /** Other fields of the head, without secrets. */
  fields: readonly (readonly [name: string, value: string])[];
  /** Reason of an incomplete response; '' if it is complete. */
  detail: string;
  /** Times since the send; `undefined`: nothing was received. */
  firstByteMs: number | undefined;
  totalMs: number;
  /** The beginning of the body. */
  body: string;
  /** Number of characters of the whole body. */
  bodyLength: number;
  /** Events of a stream, or frames of a socket; `undefined`: neither. */
  events: readonly ContactEvent[] | undefined;
  /** Times of the first and the last content of a stream, and the number of its content events. */
  content: { firstMs: number; lastMs: number; events: number } | undefined;
}

/** A reply as its protocol reads it. */
export interface ContactReading {
  outcome: AttemptClass;
  /** Reason; '' for `ok`. */
  detail: string;
  text: string;
  id: string | undefined;
  usage: Usage | undefined;
  /** Names of the tools that it calls. */
  calls: readonly string[];
  lacksDone: boolean;
  /** Deviations that a run notes; omitted: none. */
  notes?: readonly Note[] | undefined;
}

/** The polls of one reply. */
export interface ContactPolls {
  /** Time of the complete reply, since the send of the message. */
  afterMs: number;
  count: number;
  everyMs: number;
}

/** A request and its response, without secrets. */
export interface ContactExchange {
  /** 0: the creation of the session. */
  turn: number;
  request: { method: string; url: string; fields: readonly (readonly [name: string, value: string])[]; body: string };
  response: ContactResponse;
  /** `undefined`: nothing was read, because the request is retried, or because the reply is polled. */
  reading: ContactReading | undefined;
  /** Set for the last exchange of a polled reply. */
  polled?: ContactPolls | undefined;
}

/** Calls of the agent to the model service, during the conversation. */
export interface ContactModelCalls {
  /** Address that the agent has to use. */
  baseUrl: string;
  /** True if runs attribute calls by the text of the message, so that no trace is necessary. */
  isByText: boolean;
  calls: readonly {
    model: string;
    outcome: string;
    /** True if the call contains the trace ID of a request of the conversation. */
    isTraced: boolean;
  }[];
}

/** A check of the conditions of a load: of the service, the way to it, or this machine. */
export interface ContactFinding {
  subject: string;
  /** False for a warning, which has a remedy. */
  isFine: boolean;
  text: string;
  remedy: string;
}

/** The first conversation with a service, without secrets. */
export interface Contact {
  target: {
    baseUrl: string;
    isEmbedded: boolean;
    agentId: string;
    protocol: string;
    /** True if the protocol was taken from the path of the URL. */
    isByPath: boolean;
    history: 'service' | 'client';
    stream: boolean;
    canStream: boolean;
    /** True if nothing authorizes requests. */
    isOpen: boolean;
    /** True if runs of the scenario examine their replies: text, ids. */
    isGuarded: boolean;
  };
  /** Address that answered; '' for none. */
  address: string;
  tls: { protocol: string; issuer: string } | null;
  exchanges: readonly ContactExchange[];
  /** The code that the agent is asked to remember. */
  code: string;
  /** A streamed turn that was sent in addition, because replies are not streamed. */
  streamed: ContactExchange | undefined;
  /** The first message in another conversation; `undefined`: it was not repeated. */
  repeated?: ContactExchange | undefined;
  /** Protocols found by requests; `undefined` without a search. */
  found: FoundProtocols | undefined;
  /** `undefined`: there is no model service. */
  modelCalls?: ContactModelCalls | undefined;
  /** Checks before a load; omitted if the conversation was interrupted. */
  findings?: readonly ContactFinding[] | undefined;
  /** Name of the signal that ended the conversation. */
  signal: string | undefined;
}

/** Result of the contact: the service can be loaded, it answers differently, or it does not answer or rejects the key. */
export type ContactVerdict = 'usable' | 'unusable' | 'unreachable';

/** The turns of the conversation: the scenario's first message, a code to remember, and the question for it. */
export const contactTurns = 3;

/**
 * Returns what is wrong with the model calls of the agent: it made none, or did not forward the trace of their turn. A turn
 * that the agent refused by itself shows nothing about its model calls.
 */
export function modelProblem({
  modelCalls,
  exchanges,
}: Pick<Contact, 'modelCalls' | 'exchanges'>): 'no_call' | 'untraced' | undefined {
  if (modelCalls === undefined) return undefined;
  const { calls, isByText } = modelCalls;
  if (calls.length > 0) return isByText || calls.every(({ isTraced }) => isTraced) ? undefined : 'untraced';
  const status = failedExchange({ exchanges })?.response.status ?? 200;
  return status < 300 || status >= 500 ? 'no_call' : undefined;
}

/** Returns the exchange that failed; `undefined`: every turn was ok. */
export function failedExchange({ exchanges }: Pick<Contact, 'exchanges'>): ContactExchange | undefined {
  return exchanges.find(({ reading }) => reading !== undefined && reading.outcome !== 'ok');
}

/** A fault of a reply that was read without a failure: a run that examines its replies fails because of it. */
export interface FaultyReply {
  exchange: ContactExchange;
  fault: 'no_text' | 'id_repeats';
}

/** Returns the first faulty reply. */
export function faultyReply({ exchanges, target }: Pick<Contact, 'exchanges' | 'target'>): FaultyReply | undefined {
  if (!target.isGuarded) return undefined;
  const replies = exchanges.filter(({ turn, reading }) => turn > 0 && reading?.outcome === 'ok');
  const ids = new Set<string>();
  for (const exchange of replies) {
    const { text = '', calls = [], id } = exchange.reading ?? {};
    if (text.trim() === '' && calls.length === 0) return { exchange, fault: 'no_text' };
    if (id !== undefined && ids.has(id)) return { exchange, fault: 'id_repeats' };
    if (id !== undefined) ids.add(id);
  }
  return undefined;
}

const withoutAnswer: readonly AttemptClass[] = ['connect_failed', 'connection_lost', 'timed_out'];
const refusals: readonly AttemptClass[] = ['unauthorized', 'forbidden'] satisfies FinishedClass[];

export function isKeyRefused(exchange: ContactExchange | undefined): boolean {
  return exchange?.reading !== undefined && refusals.includes(exchange.reading.outcome);
}

export function judgeContact(contact: Contact): ContactVerdict {
  const failed = failedExchange(contact);
  if (failed?.reading === undefined)
    return isComplete(contact) && faultyReply(contact) === undefined ? 'usable' : 'unusable';
  if (isKeyRefused(failed)) return 'unreachable';
  return failed.response.status === 0 && withoutAnswer.includes(failed.reading.outcome) ? 'unreachable' : 'unusable';
}

/** Reports whether the last turn was answered. */
export function isComplete({ exchanges }: Pick<Contact, 'exchanges'>): boolean {
  return exchanges.some(({ turn, reading }) => turn >= contactTurns && reading?.outcome === 'ok');
}

/** Reports whether the failure may be caused by a wrong protocol. */
export function mayBeAnother({ response: { status }, reading }: ContactExchange): boolean {
  if (reading === undefined || reading.outcome === 'agent_not_found') return false;
  if ((status >= 300 && status < 400) || [408, 409, 425, 429].includes(status)) return false;
  if (status === 404 || status === 405) return true;
  return ['http_other', 'malformed', 'contract_broken', 'bad_request'].includes(reading.outcome);
}

/** Reports whether the reply of the last turn contains the code. */
export function repeatsCode({ exchanges, code }: Pick<Contact, 'exchanges' | 'code'>): boolean {
  const last = exchanges.findLast(({ reading }) => reading?.outcome === 'ok');
  return last?.reading?.text.toLowerCase().includes(code.toLowerCase()) ?? false;
}
