import {
  contactTurns,
  faultyReply,
  failedExchange,
  isComplete,
  isKeyRefused,
  judgeContact,
  modelProblem,
  repeatsCode,
  type Contact,
  type ContactExchange,
  type FaultyReply,
} from '../../conformance/contact/contact.ts';
import { streamFlow } from '../../conformance/stream-flow.ts';
import { countOf, formatMs } from '../../base/format.ts';
import { protocolName } from '../../protocol/registry/registry.ts';
import { failedLine } from '../words/last-line.ts';

export type Fact = readonly [name: string, text: string];

export function contactFacts(contact: Contact): Fact[] {
  const verdict = judgeContact(contact);
  const facts: Fact[] = [
    ['reachable', reachText(contact)],
    ['key', keyText(contact)],
    ['protocol', protocolText(contact)],
  ];
  if (verdict !== 'usable') return verdict === 'unreachable' ? facts : [...facts, ...modelFacts(contact)];
  return [
    ...facts,
    ['streaming', streamText(contact)],
    ['history', historyText(contact)],
    ['usage', usageText(contact)],
    ...modelFacts(contact),
  ];
}

export function contactLine(contact: Contact): string {
  if (contact.signal !== undefined) return failedLine(`stopped by ${contact.signal}`);
  if (judgeContact(contact) === 'usable') return 'PASSED';
  const failed = failedExchange(contact);
  const faulty = faultyReply(contact);
  if (failed === undefined && faulty !== undefined)
    return failedLine(`the reply of ${operationText(faulty.exchange)} ${faultTexts[faulty.fault]}`);
  if (failed?.reading === undefined)
    return failedLine(isComplete(contact) ? '' : `the conversation ended before turn ${String(contactTurns)}`);
  const { outcome, detail } = failed.reading;
  return failedLine(`${operationText(failed)} ended with ${outcome}: ${detail}`);
}

const faultTexts: Readonly<Record<FaultyReply['fault'], string>> = {
  no_text: 'has no text',
  id_repeats: 'has the id of an earlier reply',
};

const operationText = ({ turn }: ContactExchange): string =>
  turn === 0 ? 'the creation of the session' : `turn ${String(turn)}`;

const statusOf = ({ exchanges }: Contact): number =>
  exchanges.find(({ response }) => response.status > 0)?.response.status ?? 0;

function reachText(contact: Contact): string {
  const { address, tls } = contact;
  const encrypted = tls === null ? '' : `, ${tls.protocol}, certificate issued by ${tls.issuer || 'an unknown issuer'}`;
  const { baseUrl } = contact.target;
  const at = `${baseUrl}${baseUrl.includes(address) ? '' : ` (${address})`}${encrypted}`;
  if (statusOf(contact) > 0) return `yes, ${at}`;
  const isHttp = failedExchange(contact)?.reading?.outcome !== 'malformed';
  return `accepts connections, but does not respond${isHttp ? '' : ' in HTTP'}: ${at}`;
}

function keyText(contact: Contact): string {
  const failed = failedExchange(contact);
  if (isKeyRefused(failed))
    return `${contact.target.isOpen ? 'required, but none was sent' : 'rejected'}: ${failed?.reading?.detail ?? ''}`;
  const isOk = contact.exchanges.some(({ reading }) => reading?.outcome === 'ok');
  if (contact.target.isOpen) return isComplete(contact) ? 'not needed: none was sent' : 'none was sent';
  if (isOk) return 'not rejected: the service accepts it or does not verify keys';
  return statusOf(contact) > 0 ? 'not rejected so far' : 'unknown: no response';
}

function protocolText(contact: Contact): string {
  const { target, found, exchanges } = contact;
  const { protocol, isByPath } = target;
  const known = `${protocol}${isByPath ? ', from the path of the URL' : ''}`;
  if (exchanges.some(({ turn, reading }) => turn > 0 && reading?.outcome === 'ok'))
    return `${known}, confirmed by its replies`;
  if (found === undefined) return `${known}; not confirmed by a reply`;
  const other = `a path that cannot exist ${found.otherwise}`;
  if (found.found.length === 0 && isKeyRefused(failedExchange(contact)))
    return `${known}; cannot be confirmed while it rejects requests (${countOf(found.requests, 'request')}; ${other})`;
  if (found.found.length === 0)
    return `neither ${protocol} nor any other known protocol at this URL (${countOf(found.requests, 'request')}; ${other})`;
  const others = found.found.map(
    ({ name, url, status, message }) =>
      `POST ${url} responds (${name}; status ${String(status)}${message && `: ${message}`})`,
  );
  return `${known}; not confirmed by a reply. ${others.join('; ')}`;
}

function streamText(contact: Contact): string {
  const { target, exchanges, streamed } = contact;
  if (target.stream) {
    const last = exchanges.findLast(({ reading }) => reading?.outcome === 'ok');
    return `${eventsText(last)}${last === undefined ? '' : ` (${operationText(last)})`}`;
  }
  if (!target.canStream) return `not streamed: ${target.protocol} has no streamed replies`;
  if (streamed?.reading === undefined) return 'not streamed';
  const { outcome, detail } = streamed.reading;
  if (outcome !== 'ok') return `not supported (${outcome}: ${detail})`;
  return `supported (--stream): ${eventsText(streamed)}`;
}

/** Duration of a reply whose events are too close to judge. */
const minFlowMs = 50;

/** Judges how the events of a streamed reply arrived; `undefined`: there were too few to judge. */
export function flowOf({ response: { content, events = [], totalMs } }: ContactExchange) {
  if (content === undefined || content.events < 2 || totalMs < minFlowMs) return undefined;
  const contentSpanMs = content.lastMs - content.firstMs;
  return streamFlow({ times: events.map(({ atMs }) => atMs), totalMs, contentSpanMs });
}

function eventsText(exchange: ContactExchange | undefined): string {
  const { content } = exchange?.response ?? {};
  if (exchange === undefined || content === undefined) return 'a stream without content';
  const { events, firstMs, lastMs } = content;
  const overMs = lastMs - firstMs;
  if (flowOf(exchange)?.flow === 'at_once')
    return `${countOf(events, 'event')}, all at once after ${formatMs(firstMs)}: the service or a proxy buffers the stream`;
  return `${countOf(events, 'content event')} over ${formatMs(overMs)}, the first after ${formatMs(firstMs)}`;
}

function historyText(contact: Contact): string {
  const isClient = contact.target.history === 'client';
  const keeper = isClient ? 'sent by chat-load with every turn' : 'kept by the service';
  const last = `turn ${String(contactTurns)}`;
  if (repeatsCode(contact)) return `${keeper}: ${last} repeats the code of turn ${String(contactTurns - 1)}`;
  const unknown = `${last} does not repeat the code ${contact.code}`;
  return isClient ? `${keeper}; ${unknown}` : `unknown: ${unknown}`;
}

function usageText({ exchanges, target }: Contact): string {
  const usage = exchanges.findLast(({ reading }) => reading?.usage !== undefined)?.reading?.usage;
  if (usage === undefined)
    return protocolName(target.protocol) === undefined
      ? 'not described: the definition has no path of token counts, or no reply has them'
      : 'not reported';
  return `reported: ${tokensText(usage)}`;
}

function modelFacts(contact: Contact): Fact[] {
  const { calls = [], baseUrl = '', isByText = false } = contact.modelCalls ?? {};
  const problem = modelProblem(contact);
  if (problem === 'no_call')
    return [['model', `no model call: is the agent configured with OPENAI_BASE_URL=${baseUrl}?`]];
  if (calls.length === 0) return [];
  const models = [...new Set(calls.map(({ model }) => model))].slice(0, 3).join(', ');
  const failed = calls.filter(({ outcome }) => outcome !== 'ok').length;
  const traced = calls.filter(({ isTraced }) => isTraced).length;
  const trace =
    traced === calls.length
      ? 'all with the trace of their turn'
      : `${String(traced)} with the trace of their turn${isByText ? '; runs attribute them by the text of the message' : ''}`;
  const others = failed === 0 ? '' : `, ${String(failed)} not ok`;
  return [['model', `${countOf(calls.length, 'call')} (${models})${others}, ${trace}`]];
}

export function tokensText({ inputTokens, outputTokens }: NonNullable<ContactReadingUsage>): string {
  const text = (tokens: number | undefined): string => (tokens === undefined ? 'unknown' : countOf(tokens, 'token'));
  return `${text(inputTokens)} in, ${text(outputTokens)} out`;
}

type ContactReadingUsage = NonNullable<ContactExchange['reading']>['usage'];
