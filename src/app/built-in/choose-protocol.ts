import { ChatLoadError } from '../../base/errors.ts';
import { lacksScheme } from '../../plan/host-names.ts';
import type { Settled } from '../../plan/settle.ts';
import {
  type ProtocolName,
  defaultProtocol,
  preferredProtocol,
  preferredProtocols,
  protocolName,
  protocolNames,
  unknownProtocol,
} from '../../protocol/registry/registry.ts';
import { recognizeUrl } from '../../scenario/recognize-url.ts';
import { requireReachable } from '../run/with-target.ts';
import type { FoundProtocols } from '../../conformance/contact/contact.ts';
import { keyRemedy } from '../../protocol/refused-key.ts';
import { seekProtocols } from '../run/find-protocols.ts';

export interface Choice {
  protocol: ProtocolName;
  /** Set only for a protocol that was not named. */
  why?: string;
}

interface Choosing {
  /** The protocol that was named, by a flag or the environment. */
  named: unknown;
  /** The command to type if no request may be sent to recognize the protocol; `undefined`: requests may be sent. */
  offline: string | undefined;
  /** Settles the run as if its protocol were known. */
  settle: (protocol: ProtocolName) => Settled | Promise<Settled>;
}

/** Chooses the protocol of a URL: the named one, the one whose path the URL ends in, or one that the service answers. */
export async function chooseProtocol(url: string, { named, offline, settle }: Choosing): Promise<Choice> {
  const problem = lacksScheme(url);
  if (problem !== undefined) throw schemeless(problem);
  if (named !== undefined) return { protocol: requireName(named) };
  if (url === 'embedded') return { protocol: defaultProtocol };
  const recognized = recognizeUrl(url);
  if (recognized !== undefined) return { protocol: recognized.protocol, why: `by the path of the URL` };
  if (offline !== undefined) throw unknownHere(offline);
  return probe(url, await settle(preferredProtocol));
}

function requireName(named: unknown): ProtocolName {
  const known = protocolName(named);
  if (known !== undefined) return known;
  throw new ChatLoadError('usage', {
    message: `--protocol: ${unknownProtocol(String(named))}`,
    hint: 'A protocol of your own takes a scenario file (defineProtocol): chat-load init --protocol own.',
  });
}

const schemeless = (problem: string): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `--url: ${problem}`,
    hint: 'Nothing was sent. A URL begins with http:// or https://.',
  });

const unknownHere = (command: string): ChatLoadError =>
  new ChatLoadError('usage', {
    message: 'The protocol of the URL is not known, and no request is sent to recognize it.',
    hint: `Name it: ${protocolNames.map((name) => `--protocol ${name}`).join(', or ')}. For an API like OpenAI's:\n  ${command} --protocol ${preferredProtocol}`,
  });

/** Asks the service itself. */
async function probe(url: string, settled: Settled): Promise<Choice> {
  await requireReachable(settled);
  const baseUrl = new URL(settled.plan.target.baseUrl ?? url);
  if (settled.plan.target.http2) throw notOverHttp2();
  const { found, ...other } = await seekProtocols(settled, { baseUrl, alsoNearby: true });
  const below = found.filter(({ isBelow }) => isBelow);
  const [chosen] = preferredProtocols.flatMap((name) => below.find((each) => each.name === name) ?? []);
  if (chosen === undefined) throw noneFound(url, { nearby: found, ...other });
  const others = below.filter((each) => each !== chosen).map(({ name }) => name);
  const rest = others.length === 0 ? '' : ` (${others.join(', ')} too: --protocol chooses another)`;
  return { protocol: chosen.name, why: `since ${chosen.url} answers${rest}` };
}

function noneFound(
  url: string,
  {
    nearby,
    otherwise,
    otherStatus,
  }: { nearby: FoundProtocols['found'] } & Pick<FoundProtocols, 'otherwise' | 'otherStatus'>,
): ChatLoadError {
  const elsewhere = nearby.map(({ name, url: found }) => `${name} answers at ${found}: give that with --url.`);
  return new ChatLoadError('environment', {
    message: `No known chat API answers below ${url}; a path that cannot exist ${otherwise}.`,
    hint: [
      ...elsewhere,
      ...anyPath(otherStatus),
      `If the API is known: --protocol ${protocolNames.join(', or --protocol ')}.`,
      `chat-load try --url ${url} --model NAME --protocol NAME shows a whole conversation; a protocol of your own takes a scenario file: chat-load init --protocol own.`,
    ].join('\n'),
  });
}

/** What to do about a service that answers every path with this status. */
function anyPath(status: number): string[] {
  if (status === 401 || status === 403)
    return [`${keyRemedy} A path that cannot exist is refused too, so the base URL may be wrong.`];
  if (status >= 300 && status < 400)
    return ['It redirects, and redirects are not followed: give the URL of its Location with --url.'];
  if (status === 0) return ['If it speaks HTTP/2 alone: --http2, with --protocol NAME.'];
  if ([408, 409, 425].includes(status)) return ['The service asks to try again later.'];
  if (status === 429) return ['The service limits requests: try again later.'];
  return status >= 500 ? ['Check whether the service is up.'] : [];
}

const notOverHttp2 = (): ChatLoadError =>
  new ChatLoadError('usage', {
    message: 'The protocol cannot be found over HTTP/2.',
    hint: `Name it: ${protocolNames.map((name) => `--protocol ${name}`).join(', or ')}.`,
  });
