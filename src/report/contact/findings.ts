import { isCacheMark } from '../../base/cache-mark.ts';
import { countOf, formatCount, formatMs } from '../../base/format.ts';
import {
  contactTurns,
  isComplete,
  repeatsCode,
  type Contact,
  type ContactExchange,
  type ContactFinding,
} from '../../conformance/contact/contact.ts';
import type { CoreNeeds } from '../../plan/core-needs.ts';
import type { Plan } from '../../plan/plan.ts';
import type { SocketRoom } from '../../plan/socket-room.ts';
import type { MetricsEndpoint } from '../../result/sections/target-metrics.ts';
import { endingWarnings } from '../../result/sections/warning.ts';
import { shortageText } from '../plan/socket-text.ts';
import { coresText } from '../plan/plan-text.ts';
import { noteTexts } from '../../protocol/notes.ts';
import { protocolName } from '../../protocol/registry/registry.ts';
import { stepText } from '../words/measured-text.ts';
import { flowOf } from './contact-facts.ts';

/** Observations besides the conversation. */
export interface Examined {
  plan: Plan;
  /** Turn 1, and the same message in another conversation; `undefined`: not sent. */
  repeated: { first: ContactExchange; again: ContactExchange } | undefined;
  /** True if the protocol has no id, cookies or history of a session. */
  lacksSession: boolean;
  /** Id that the creations of two sessions returned; `undefined`: they differ, or there are none. */
  sharedId: string | undefined;
  /** True if another session begins with another message. */
  differs: boolean;
  sockets: SocketRoom;
  cores: CoreNeeds;
  /** Number of cores of this machine. */
  availableCores: number;
  /** Variables of the environment that name a proxy, and the one of them that is used. */
  proxies: { set: readonly string[]; used: string | undefined; isExempt: boolean };
  /** `refusal`: reason for which an unverified certificate would be refused. */
  certificate: { issuer: string; validTo: string | null; refusal: string | undefined } | null;
  metrics: readonly MetricsEndpoint[];
}

/** Returns what a load would suffer from, each with its remedy, and the checks that passed. */
export function findingsOf(contact: Contact, examined: Examined, now = Date.now()): ContactFinding[] {
  return [
    ...streamFindings(contact),
    ...pollFindings(contact),
    ...noteFindings(contact),
    ...memoryFindings(contact),
    ...sessionFindings(examined),
    ...cacheFindings(contact, examined),
    ...socketFindings(examined),
    coreFinding(examined),
    ...proxyFindings(examined),
    ...certificateFindings(examined, now),
    ...examined.metrics.map((each, index) => metricsFinding(each, examined.plan.target.metrics?.[index]?.series ?? [])),
  ];
}

const pass = (subject: string, text: string): ContactFinding => ({ subject, isFine: true, text, remedy: '' });
const warn = (subject: string, text: string, remedy: string): ContactFinding => ({
  subject,
  isFine: false,
  text: text.replace(/\.$/, ''),
  remedy,
});

function streamFindings({ target, exchanges, streamed }: Contact): ContactFinding[] {
  const exchange = target.stream ? exchanges.findLast(({ reading }) => reading?.outcome === 'ok') : streamed;
  const arrival = exchange?.reading?.outcome === 'ok' ? flowOf(exchange) : undefined;
  const { content, events = [], totalMs = 0 } = exchange?.response ?? {};
  if (content?.events === 1 && /\S+(?:\s+\S+){4}/.test(exchange?.reading?.text ?? ''))
    return [
      warn(
        'stream',
        'the whole text arrived in one event: nothing is streamed, so time to first token is that of the whole reply',
        unbuffer,
      ),
    ];
  if (arrival === undefined || content === undefined) return [];
  const { firstMs, lastMs } = content;
  const seen = {
    one_by_one: `${countOf(content.events, 'event')} over ${formatMs(lastMs - firstMs)}: nothing buffers them`,
    mostly_together: `${formatCount(arrival.together)} of ${countOf(events.length, 'event')} arrived together with the previous one: something may buffer the stream, so gaps are not those of the service`,
    at_once: `all ${formatCount(content.events)} events arrived together, after ${formatMs(firstMs)} of ${formatMs(totalMs)}: something buffers the stream, so time to first token is that of the whole reply`,
  }[arrival.flow];
  return [arrival.flow === 'one_by_one' ? pass('stream', seen) : warn('stream', seen, unbuffer)];
}

const unbuffer =
  'Disable buffering and compression of text/event-stream between the service and this machine (nginx: proxy_buffering off, or the response header X-Accel-Buffering: no), and flush each event in the service.';

/** Share of the time of a reply up to which the interval of its polls does not matter. */
const fineShare = 0.1;

function pollFindings({ exchanges }: Contact): ContactFinding[] {
  const polled = exchanges.findLast((each) => each.polled !== undefined && each.reading?.outcome === 'ok')?.polled;
  if (polled === undefined) return [];
  const step = stepText(polled.everyMs);
  const text = `replies are polled every ${step}: latencies of turns and attempts are known up to ${step}`;
  if (polled.everyMs <= fineShare * polled.afterMs) return [pass('polls', text)];
  return [
    warn('polls', text, 'Shorten reply.then.poll.every in the definition, if the service allows as many requests.'),
  ];
}

function noteFindings({ exchanges, streamed, target }: Contact): ContactFinding[] {
  const read = streamed === undefined ? exchanges : [...exchanges, streamed];
  const rules = new Set(read.flatMap(({ reading }) => reading?.notes ?? []).map(({ rule }) => rule));
  if (rules.size === 0) return [];
  const texts = [...rules].map((rule) => noteTexts[rule].replace(/:$/, '')).join('. ');
  const named = protocolName(target.protocol) === undefined ? '' : ' chat-load check names them by rule.';
  return [
    warn(
      'notes',
      `replies deviate from their description. ${texts}`,
      `Runs read them, and count them as notes.${named}`,
    ),
  ];
}

/** An agent that does not know the previous turn answers, but every turn of a load would be its first one. */
function memoryFindings(contact: Contact): ContactFinding[] {
  if (!isComplete(contact) || repeatsCode(contact)) return [];
  const [asked, last] = [String(contactTurns - 1), String(contactTurns)];
  const text = `turn ${last} does not repeat the code of turn ${asked}: the agent may not know the earlier turns of its conversation`;
  const remedy =
    contact.target.history === 'client'
      ? 'The request contains them. An agent with fixed replies never repeats a code; otherwise, check in the requests above whether the history is where the service expects it.'
      : 'Check in the requests above whether each turn names the conversation as the service expects it. An agent with fixed replies, or without memory on purpose, never repeats a code.';
  return [warn('history', text, remedy)];
}

/** Requests of two sessions that differ in nothing belong to one conversation, if the service keeps any; so do sessions with one id. */
function sessionFindings({ lacksSession, sharedId, repeated }: Examined): ContactFinding[] {
  if (sharedId !== undefined)
    return [
      warn(
        'sessions',
        `two creations returned the same id, ${sharedId}: every session continues the same conversation`,
        'Use a key that may create conversations: a token that belongs to one conversation cannot. Otherwise, write what distinguishes sessions into the creation, or name the field of the id in createSession.sessionId.',
      ),
    ];
  if (!lacksSession || repeated === undefined) return [];
  const [first, again] = [repeated.first, repeated.again].map(({ request: { method, url, fields, body } }) =>
    JSON.stringify([method, url, fields.filter(([name]) => !ofOneRequest.test(name)), body]),
  );
  if (first !== again) return [];
  return [
    warn(
      'sessions',
      'the requests have no session id, cookie of their own or client history: every session continues the same conversation, unless the service distinguishes them by other means',
      `${repeated.first.request.fields.some(([name]) => /^cookie$/i.test(name)) ? freeCookie : ''}Write an id that differs between sessions into the request: sessionId: '{{uuid}}' in the definition, and sessionId in message.body. A service without memory needs none.`,
    ),
  ];
}

/** Browsers copy the cookie of one conversation into their commands. */
const freeCookie =
  'If the cookie names the conversation, remove Cookie from target.headers and set cookies: true in the definition, so that each session gets its own. Otherwise: ';

const ofOneRequest = /^(?:traceparent|tracestate|(?:x-)?(?:idempotency-key|request-id|correlation-id))$/i;

/** Least ratio of the fastest other turn to a repeated one that shows a cache: turns of one service differ less. */
const minSpeedup = 4;

function cacheFindings({ exchanges }: Contact, { repeated, differs }: Examined): ContactFinding[] {
  const { first, again } = repeated ?? {};
  const reading = again?.reading;
  if (again === undefined || reading?.outcome !== 'ok') return [];
  const others = exchanges.filter(({ turn, reading }) => turn > 0 && reading?.outcome === 'ok');
  const fastestMs = Math.min(...others.map(({ response }) => response.totalMs));
  const isSame = reading.text !== '' && reading.text === first?.reading?.text;
  // A mark on a message that was sent only once shows no cache of replies.
  const unique = others.filter(({ turn }) => turn > 1);
  const mark = unique.some(({ response }) => response.fields.some(isHit))
    ? undefined
    : again.response.fields.find(isHit);
  const isFaster = isSame && again.response.totalMs * minSpeedup <= fastestMs;
  const found = [
    ...(mark === undefined ? [] : [`it is marked ${mark.join(': ')}`]),
    ...(isFaster
      ? [
          `the same reply arrived in ${formatMs(again.response.totalMs)}, the fastest other turn took ${formatMs(fastestMs)}`,
        ]
      : []),
    ...(isMostlyCached(again) && !unique.some(isMostlyCached)
      ? [
          `${formatCount(reading.usage?.cachedInputTokens ?? 0)} of its ${formatCount(reading.usage?.inputTokens ?? 0)} input tokens were read from a cache`,
        ]
      : []),
  ];
  if (found.length === 0)
    return [
      pass(
        'cache',
        `no sign of one: a repeated question took ${formatMs(again.response.totalMs)}, the fastest other turn ${formatMs(fastestMs)}`,
      ),
    ];
  const text = `a repeated question is answered from a cache: ${found.join('; ')}`;
  if (differs) return [pass('cache', `${text}. The first messages of the sessions differ`)];
  return [
    warn(
      'cache',
      `${text}. A load that repeats its messages would look faster and cheaper than real use`,
      "Make messages unique, such as 'Where is order {{digits 8}}?' or {{uuid}}, or disable the cache of the service.",
    ),
  ];
}

const isMostlyCached = ({ reading }: ContactExchange): boolean =>
  (reading?.usage?.cachedInputTokens ?? 0) * 2 > (reading?.usage?.inputTokens ?? 0);

const isHit = ([name, value]: readonly [name: string, value: string]): boolean => isCacheMark(name, value);

const subjects = { descriptors: 'open files', ports: 'local ports' } as const;

function socketFindings({ sockets, plan }: Examined): ContactFinding[] {
  const { needs, byDescriptors, byPorts } = sockets;
  const rooms = { descriptors: byDescriptors, ports: byPorts };
  return (['descriptors', 'ports'] as const).flatMap((resource) => {
    const room = rooms[resource];
    const shortage = sockets.shortages.find((each) => each.resource === resource);
    if (shortage !== undefined) {
      const { message, remedy } = shortageText(shortage, sockets, plan);
      return [warn(subjects[resource], message, remedy)];
    }
    if (room === null) return [];
    const needed = countOf(needs.expected, 'connection');
    return [pass(subjects[resource], `room for ${formatCount(room)}; the load needs about ${needed}`)];
  });
}

function coreFinding({ cores: needs, availableCores, plan }: Examined): ContactFinding {
  const { cores } = needs;
  const has = `this machine has ${countOf(availableCores, 'core')}`;
  if (cores === null) return pass('CPU', `the rate of the load is unknown in advance; ${has}`);
  if (cores === 1) return pass('CPU', `one process sustains the load; ${has}`);
  if (cores > availableCores)
    return warn(
      'CPU',
      `the load needs ${countOf(cores, 'process', 'processes')}, but ${has}`,
      'Reduce the load, or use several machines (--fleet, docs/guides/many-machines.md).',
    );
  return warn(
    'CPU',
    `the load needs more than one process: ${coresText(needs)}`,
    `Run ${plan.name} with --cores ${String(cores)}.`,
  );
}

function proxyFindings({ proxies: { set, used, isExempt }, plan }: Examined): ContactFinding[] {
  const { proxy } = plan.target;
  if (used !== undefined && proxy !== null)
    return [
      warn(
        'proxy',
        `requests pass the proxy ${proxy}, which ${used} names: its time and its limits are part of every figure`,
        'To connect directly, use --proxy none, or add the host to NO_PROXY. To load through it on purpose, name it with --proxy.',
      ),
    ];
  if (proxy !== null) return [pass('proxy', `requests pass ${proxy}, as configured`)];
  if (set.length === 0) return [];
  const why = isExempt ? 'NO_PROXY names the host' : 'it does not apply to this target';
  return [pass('proxy', `none: ${set.join(' and ')} is set, but ${why}`)];
}

function certificateFindings({ certificate }: Examined, now: number): ContactFinding[] {
  if (certificate === null) return [];
  const { issuer, validTo, refusal } = certificate;
  const [ending] = endingWarnings({ whose: 'target', issuer, validTo }, now);
  const insecure =
    refusal === undefined
      ? []
      : [
          warn(
            'certificate',
            `it is not verified (--insecure), and would be refused: ${refusal}`,
            'Trust its authority with --ca, or set the name in the certificate with --tls-server-name, and omit --insecure.',
          ),
        ];
  if (ending !== undefined) return [...insecure, warn('certificate', ending.message, ending.remedy ?? '')];
  if (insecure.length > 0) return insecure;
  return [pass('certificate', `valid${validTo === null ? '' : ` until ${validTo.slice(0, 10)}`}, and names the host`)];
}

function metricsFinding(
  { url, failure, presets, metrics }: MetricsEndpoint,
  series: readonly string[],
): ContactFinding {
  const missing = series.filter((wanted) => !metrics.some(({ name }) => name === wanted));
  if (failure === null && missing.length > 0)
    return warn(
      'metrics',
      `${url} has no series ${missing.join(', ')}`,
      'Compare the names and labels with target.metrics.',
    );
  if (failure === null)
    return pass(
      'metrics',
      `${countOf(metrics.length, 'series', 'series')} of ${presets.join(', ') || 'the scenario'} at ${url}`,
    );
  return warn('metrics', `${url}: ${failure}`, 'Correct target.metrics (docs/guides/target-metrics.md).');
}
