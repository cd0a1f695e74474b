import { withFirstIdentity, type ResolvedScenario } from '../../plan/resolve-scenario.ts';
import type { AttemptClass } from '../../protocol/outcome.ts';
import type { FoundProtocols, FoundProtocol } from '../../conformance/contact/contact.ts';
import type { RunOutcome } from '../../run.ts';
import { withAccess } from './with-access.ts';
import { senderOptions } from './open-generator.ts';
import { posterHead } from './conduct-run.ts';
import { isObject } from '../../base/is-object.ts';
import { ms } from '../../base/time.ts';
import type { Answer } from '../../conformance/exchanges.ts';
import { safeDetail } from '../../edge/http/exchange/safe-detail.ts';
import { openPoster, type PosterOptions } from '../../edge/http/open-poster.ts';
import { urlOf } from '../../edge/http/request/request-head.ts';
import { jsonIn } from '../../protocol/classify-whole.ts';
import { errorMessage } from '../../protocol/error-message.ts';
import { pathBelow, withModel } from '../../protocol/model-api/message-route.ts';
import type { ChatProtocol, HeaderFields, ProtocolTarget, Route } from '../../protocol/protocol.ts';
import { type ProtocolName, preferredProtocol, protocolNames, protocols } from '../../protocol/registry/registry.ts';
import { withoutVersion } from '../../scenario/recognize-url.ts';

/**
 * Finds the named protocols that the target of a scenario supports, regardless of the protocol of the scenario. The host
 * must have been checked.
 */
export async function seekProtocols(
  resolved: ResolvedScenario,
  { baseUrl, alsoNearby }: { baseUrl: URL; alsoNearby: boolean },
): Promise<FoundProtocols> {
  return withAccess(withFirstIdentity(resolved), async (opened) => {
    const { authorization, ...options } = { ...senderOptions(baseUrl, opened), transport: undefined };
    const head = await posterHead(opened);
    const redact = (text: string): string => opened.secrets.redact(text);
    const target = { ...opened.plan.target, instructions: null };
    return findProtocols({ ...options, redact, head, target, authorization, alsoNearby });
  });
}

/** Outcomes that may indicate another protocol. */
const suspectOutcomes: readonly AttemptClass[] = ['not_found', 'http_other', 'malformed', 'contract_broken'];

/**
 * Adds the protocols found below the same base URL to the stop of a run whose target was unsuitable, by a search of at most
 * 5 requests, which are not counted. Skipped for the embedded service and after a signal.
 */
export async function withOtherProtocols<Outcome extends Pick<RunOutcome, 'stop'>>(
  outcome: Outcome,
  resolved: ResolvedScenario,
  { baseUrl, drain }: { baseUrl: URL; drain: AbortSignal },
): Promise<Outcome> {
  const { stop } = outcome;
  if (stop?.kind !== 'target_unfit' || !suspectOutcomes.includes(stop.outcome)) return outcome;
  if (resolved.embedded !== undefined || drain.aborted) return outcome;
  const { found } = await seekProtocols(resolved, { baseUrl, alsoNearby: false });
  const others = found.filter(({ name }) => name !== resolved.plan.target.protocol);
  if (others.length === 0) return outcome;
  const words = others.map(({ name, url }) => `POST ${new URL(url).pathname} responds there: try --protocol ${name}.`);
  return { ...outcome, stop: { ...stop, elsewhere: words.join(' ') } };
}

interface Searched extends Omit<PosterOptions, 'keys' | 'authorize' | 'authorization' | 'timeoutMs'> {
  target: ProtocolTarget;
  apiKey: string;
  /** Removes secrets from texts of the service. */
  redact: (text: string) => string;
  /** Header fields that replace the API key, for any protocol. */
  authorization?: HeaderFields | undefined;
  /** Also searches the URLs with one `/v1` more or less, then the origin, if nothing is found below the base URL. */
  alsoNearby: boolean;
}

/** Returns the protocols that a path identifies; one that names the model needs a model. */
function soughtNames({ agentId }: ProtocolTarget): readonly ProtocolName[] {
  return protocolNames.filter((name) => {
    const message = pathsOf(name)?.message;
    return message !== undefined && (agentId !== '' || !message.includes('{model}'));
  });
}

function pathsOf(name: ProtocolName): ChatProtocol['paths'] {
  return protocols[name].protocol.paths;
}

/** Path that no service has. */
const controlPath = '/v1/chat-load-no-such-path';

/**
 * Finds the named protocols that a service supports: posts `{}`, which generates nothing, to the message path of each
 * protocol and to a path that cannot exist. A protocol is found if its response differs from the latter in status or shape
 * and is not another form of "not found". Sends at most 9 requests, 10 more nearby, and 11 more at the origin.
 */
async function findProtocols(searched: Searched): Promise<FoundProtocols> {
  const { baseUrl, alsoNearby, target } = searched;
  const until = performance.now() + 5000;
  const control = (root: URL, path: string): Promise<Answer> =>
    ask(searched, placeOf(preferredProtocol, root, path), until);
  const findAt = async (places: readonly Place[], unknown: Answer | Promise<Answer>, isBelow = false) => {
    const [other, ...answers] = await Promise.all([unknown, ...places.map((place) => ask(searched, place, until))]);
    const judged = places.flatMap((place, index) => judge(searched, { place, answer: answers[index], other }) ?? []);
    return { other, found: judged.map((each) => ({ ...each, isBelow })) };
  };
  const own = soughtNames(target).map((name) => placeOf(name, baseUrl, routeOf(name, baseUrl, target).path));
  const { other, found: below } = await findAt(own, control(baseUrl, pathBelow(baseUrl.href, controlPath)), true);
  const otherwise = { otherwise: describe(searched, other), otherStatus: other.status };
  const requests = own.length + 1;
  if (below.length > 0 || other.failure !== undefined || !alsoNearby) return { found: below, requests, ...otherwise };
  const root = new URL(baseUrl);
  root.pathname = root.pathname.replace(/(\/v1)*\/*$/, '');
  const nearby = placesAt(root, own, target);
  const { found } = await findAt(nearby, other);
  const sent = requests + nearby.length;
  if (found.length > 0 || root.pathname === '/') return { found, requests: sent, ...otherwise };
  // Another server may handle unknown paths of the origin.
  const origin = new URL(baseUrl.origin);
  const atOrigin = placesAt(origin, [...own, ...nearby], target);
  const last = await findAt(atOrigin, control(origin, controlPath));
  return { found: last.found, requests: sent + atOrigin.length + 1, ...otherwise };
}

/** A candidate path for the messages of a protocol. */
type Place = ReturnType<typeof placeOf>;

const placeOf = (name: ProtocolName, baseUrl: URL, path: string) => ({
  name,
  baseUrl,
  path,
  url: urlOf(baseUrl, { path }).href,
});

/** Returns the route of messages below a base URL. */
function routeOf(name: ProtocolName, baseUrl: URL, target: ProtocolTarget): Route {
  const plain = { ...target, stream: false, messagesPath: null, baseUrl: baseUrl.href };
  return protocols[name].protocol.open(plain).converse('none').request({ message: '', variableValues: '' }).route;
}

/** Returns the message URLs below a root, with and without `/v1`, that were not tried. */
function placesAt(root: URL, tried: readonly Place[], target: ProtocolTarget): Place[] {
  const places = soughtNames(target).flatMap((name) => {
    const { message = '/', mayLackVersion } = pathsOf(name) ?? {};
    return [message, ...(mayLackVersion === true ? [withoutVersion(message)] : [])].map((path) =>
      placeOf(name, root, withModel(path, target)),
    );
  });
  return places.filter(({ url }) => tried.every((place) => place.url !== url));
}

function ask(searched: Searched, { name, baseUrl, path }: Place, until: number): Promise<Answer> {
  const { target, apiKey, authorization, ...options } = searched;
  const protocol = protocols[name].protocol;
  const keys = { good: apiKey, wrong: unused, wrong_kind: unused };
  const timeoutMs = ms(Math.max(1, Math.ceil(until - performance.now())));
  const post = openPoster({
    ...options,
    baseUrl,
    timeoutMs,
    authorization,
    keys,
    authorize: (key) => protocol.authorize(key),
  });
  return post({ route: { ...routeOf(name, baseUrl, target), path }, key: 'good', body: '{}' });
}

/** Placeholder for keys that no request uses. */
const unused = 'unused';

/** Judges the response to a candidate path by `other`, the response to the path that cannot exist. */
function judge(
  searched: Searched,
  { place, answer, other }: { place: Place; answer: Answer | undefined; other: Answer },
): Omit<FoundProtocol, 'isBelow'> | undefined {
  if (answer === undefined || answer.failure !== undefined) return undefined;
  const { status, body } = answer;
  if (status === other.status && shapeOf(body) === shapeOf(other.body)) return undefined;
  if (status >= 300 && status < 400) return undefined;
  if ((status === 404 || status === 405) && !hasOwnError(body, place.path)) return undefined;
  const { name, url } = place;
  return { name, url, status, isKeyRefused: status === 401 || status === 403, message: messageIn(searched, body) };
}

const messageIn = ({ redact }: Pick<Searched, 'redact'>, body: string): string =>
  safeDetail(errorMessage(jsonIn(body), body), redact);

function describe(searched: Searched, { failure, detail, status, body }: Answer): string {
  if (failure !== undefined) return `gets no response (${safeDetail(detail, searched.redact)})`;
  const message = messageIn(searched, body);
  return `is answered with status ${String(status)}${message === '' ? '' : `: ${message}`}`;
}

/** Returns the shape of a body without its texts, some of which quote the request. */
function shapeOf(body: string): string {
  const json = jsonIn(body);
  if (json !== undefined) return shapeOfJson(json);
  if (body.trim() === '') return 'empty';
  return body.trimStart().startsWith('<') ? 'page' : 'text';
}

function shapeOfJson(value: unknown, depth = 0): string {
  if (Array.isArray(value)) return 'list';
  if (!isObject(value)) return value === null ? 'null' : typeof value;
  if (depth === 2) return 'object';
  const fields = Object.entries(value).map(([key, field]) => `${key}:${shapeOfJson(field, depth + 1)}`);
  return `{${fields.sort().join()}}`;
}

/** Reports whether the body of a 404 or 405 is an error of the API itself, not of a router. */
function hasOwnError(body: string, path: string): boolean {
  const json = jsonIn(body);
  const message = isObject(json) ? errorMessage(json) : '';
  return message !== '' && !message.includes(path) && !routingError.test(message);
}

const routingError =
  /^(?:(?:the )?(?:requested )?(?:page|path|route|url|resource|endpoint)?\s*(?:was )?not found|method not allowed|cannot (?:get|post)\b|invalid url|no (?:such )?(?:route|path|url|endpoint|page)|unknown (?:request )?(?:url|path|route|endpoint))/i;
