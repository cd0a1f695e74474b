import { isObject } from '../base/is-object.ts';
import type { ScenarioProblem } from '../scenario/compile-value.ts';
import { protocolNames } from '../scenario/known-protocols.ts';
import { recognizeUrl } from '../scenario/recognize-url.ts';
import type { Origin } from './overlay.ts';

interface Given {
  scenario: Record<string, unknown>;
  origins: Readonly<Record<string, Origin>>;
}

interface Corrected extends Given {
  /** What documents echo: the base URL as given, with the protocol that it names. */
  echoed: Record<string, unknown>;
  /** The correction in words, for the user; `undefined`: nothing was corrected. */
  note?: string;
  problem?: ScenarioProblem;
}

/**
 * Corrects a base URL that ends in the path of a named protocol, and takes the protocol from it if none was given.
 * Leaves the URLs of protocols of the author's own, and those with a `messagesPath`, as they are.
 */
export function correctTarget({ scenario, origins }: Given): Corrected {
  const asGiven = { scenario, origins, echoed: scenario };
  const { target } = scenario;
  if (!isObject(target)) return asGiven;
  const { baseUrl, protocol, messagesPath } = target;
  const recognized = typeof baseUrl === 'string' ? recognizeUrl(baseUrl) : undefined;
  if (recognized === undefined || messagesPath !== undefined) return asGiven;
  const given = protocolNames.find((name) => name === protocol);
  if (protocol !== undefined && given === undefined) return asGiven;
  const { path, messagesPath: unversioned } = recognized;
  if (given !== undefined && given !== recognized.protocol) {
    const message = `ends in ${path}, a path of ${recognized.protocol}, but the protocol is ${given}: omit that path, or the protocol`;
    return { ...asGiven, problem: { path: 'target.baseUrl', message } };
  }
  const corrected = {
    ...target,
    baseUrl: recognized.baseUrl,
    protocol: recognized.protocol,
    ...(unversioned === undefined ? {} : { messagesPath: unversioned }),
  };
  const taken = given === undefined ? `, and the protocol is ${recognized.protocol}` : '';
  const note = `The base URL ends in ${path}, a path of ${recognized.protocol}: it is taken as ${recognized.baseUrl}${taken}.`;
  return {
    scenario: { ...scenario, target: corrected },
    origins: given === undefined ? { ...origins, 'target.protocol': origins['target.baseUrl'] ?? 'file' } : origins,
    echoed: { ...scenario, target: { ...target, protocol: recognized.protocol } },
    note,
  };
}
