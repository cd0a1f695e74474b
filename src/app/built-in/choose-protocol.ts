import { type ChatLoadError, usageError, environmentError } from '../../base/errors.ts';
import { lacksScheme } from '../../plan/host-names.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import {
  type ProtocolName,
  defaultProtocol,
  preferredProtocol,
  preferredProtocols,
  protocolName,
  protocolNames,
  unknownProtocol,
} from '../../protocol/registry/registry.ts';
import { recognizeBase, recognizeUrl } from '../../scenario/recognize-url.ts';
import { requireReachable } from '../run/with-target.ts';
import type { FoundProtocols } from '../../conformance/contact/contact.ts';
import { keyRemedyOf } from '../../protocol/refused-key.ts';
import { seekProtocols } from '../run/find-protocols.ts';

export interface Choice {
  protocol: ProtocolName;
  why?: string;
}

interface Choosing {
  named: unknown;
  model: unknown;
  /** Command to suggest if no request may be sent to detect the protocol; `undefined`: requests may be sent. */
  offline: string | undefined;
  /** Resolves the run as if its protocol were known. */
  resolve: (protocol: ProtocolName) => ResolvedScenario | Promise<ResolvedScenario>;
}

/** Chooses the protocol of a URL: the named one, the one whose path ends the URL, the vendor's, or one that the service supports. */
export async function chooseProtocol(url: string, { named, model, offline, resolve }: Choosing): Promise<Choice> {
  const problem = lacksScheme(url);
  if (problem !== undefined)
    throw usageError(`--url: ${problem}`, 'Nothing was sent. A URL starts with http:// or https://.');
  if (named !== undefined) return { protocol: requireName(named) };
  if (url === 'embedded') return { protocol: defaultProtocol };
  const recognized = recognizeUrl(url);
  if (recognized !== undefined) return { protocol: recognized.protocol, why: `by the path of the URL` };
  const ofBase = recognizeBase(url, typeof model === 'string' ? model : undefined);
  if (ofBase !== undefined) return { protocol: ofBase, why: 'by the base URL' };
  if (offline !== undefined)
    throw usageError(
      'The protocol of the URL is unknown, and no request is sent to detect it.',
      `Name it: ${protocolNames.map((name) => `--protocol ${name}`).join(', or ')}. For an API like OpenAI's:\n  ${offline} --protocol ${preferredProtocol}`,
    );
  return probe(url, await resolve(preferredProtocol));
}

function requireName(named: unknown): ProtocolName {
  const known = protocolName(named);
  if (known !== undefined) return known;
  throw usageError(
    `--protocol: ${unknownProtocol(String(named))}`,
    'A custom protocol requires a scenario file (defineProtocol): chat-load init --protocol own.',
  );
}

async function probe(url: string, resolved: ResolvedScenario): Promise<Choice> {
  await requireReachable(resolved);
  const baseUrl = new URL(resolved.plan.target.baseUrl ?? url);
  if (resolved.plan.target.http2)
    throw usageError(
      'The protocol cannot be detected over HTTP/2.',
      `Name it: ${protocolNames.map((name) => `--protocol ${name}`).join(', or ')}.`,
    );
  const seen = await seekProtocols(resolved, { baseUrl, alsoNearby: true });
  const below = seen.found.filter(({ isBelow }) => isBelow);
  const [chosen] = preferredProtocols.flatMap((name) => below.find((each) => each.name === name) ?? []);
  if (chosen === undefined) throw noneFound(url, { ...seen, auth: resolved.plan.target.auth });
  const others = below.filter((each) => each !== chosen).map(({ name }) => name);
  const rest = others.length === 0 ? '' : ` (also ${others.join(', ')}: select with --protocol)`;
  return { protocol: chosen.name, why: `because ${chosen.url} responds${rest}` };
}

function noneFound(
  url: string,
  { found: nearby, otherwise, otherStatus, auth }: FoundProtocols & { auth: string },
): ChatLoadError {
  const elsewhere = nearby.map(({ name, url: found }) => `${name} responds at ${found}: use that URL with --url.`);
  return environmentError(
    `No known chat API responds below ${url}; a path that cannot exist ${otherwise}.`,
    [
      ...elsewhere,
      ...anyPath(otherStatus, auth),
      `If you know the API: --protocol ${preferredProtocols.join(', or --protocol ')}.`,
      `chat-load try --url ${url} --model NAME --protocol NAME shows a complete conversation; a custom protocol requires a scenario file: chat-load init --protocol own.`,
    ].join('\n'),
  );
}

/** Returns the remedy for a service that replies to every path with this status. */
function anyPath(status: number, auth: string): string[] {
  if (status === 401 || status === 403)
    return [`${keyRemedyOf({ auth })} A path that cannot exist is rejected too, so the base URL may be wrong.`];
  if (status >= 300 && status < 400)
    return [
      'It redirects, and redirects are not followed: use the base URL of the API that its Location header names, with --url.',
    ];
  if (status >= 200 && status < 300)
    return [
      `It answers every path alike, so its API cannot be detected: name it. For an API like OpenAI's: --protocol ${preferredProtocol}.`,
    ];
  if (status === 0) return ['If it supports only HTTP/2: --http2, with --protocol NAME.'];
  if ([408, 409, 425].includes(status)) return ['The service asks to try again later.'];
  if (status === 429) return ['The service limits requests: try again later.'];
  return status >= 500 ? ['Check whether the service is up.'] : [];
}
