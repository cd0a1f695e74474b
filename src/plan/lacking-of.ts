import { isObject } from '../base/is-object.ts';
import { valueAt } from '../base/value-at.ts';
import type { ScenarioProblem } from '../scenario/compile-value.ts';
import { knownProtocols, protocolNames } from '../scenario/known-protocols.ts';
import { isIn } from './empty-options.ts';
import type { Surroundings } from './overlay.ts';

/** Reports whether a scenario aims at a service other than the embedded one. */
export function namesAnother(author: object): boolean {
  return isIn(valueAt(author, ['target']), 'baseUrl') && valueAt(author, ['target', 'baseUrl']) !== 'embedded';
}

/** Returns what every service but the embedded one requires. An agent that is given but empty is reported as empty. */
export function lackingOf(scenario: object, { hasFile = true }: Surroundings): ScenarioProblem[] {
  if (!namesAnother(scenario)) return [];
  const lack = (path: string, remedy: string): ScenarioProblem => ({
    path,
    message: `is required with a base URL: ${remedy}`,
  });
  const [agentId, apiKey, auth, protocol] = ['agentId', 'apiKey', 'auth', 'protocol'].map((name) =>
    valueAt(scenario, ['target', name]),
  );
  const lacksKey = auth === undefined && (apiKey === undefined || apiKey === '');
  return [
    ...(agentId === undefined && needsAgent(protocol)
      ? [
          lack(
            'target.agentId',
            hasFile ? `give it in the file or with ${flagOf(protocol)}` : `give ${flagOf(protocol)}`,
          ),
        ]
      : []),
    ...(lacksKey
      ? [
          lack(
            'target.apiKey',
            hasFile
              ? `${setKey}, or give target.auth: 'none' if the service needs none (docs/authentication.md has other ways)`
              : `${setKey} (any text, if the service takes none), or give --auth-command`,
          ),
        ]
      : []),
  ];
}

const setKey = 'set CHAT_LOAD_API_KEY in the environment';

/** Reports whether requests need an agent: those of a defined protocol only if a text in it names the agent. */
function needsAgent(protocol: unknown): boolean {
  if (!isObject(protocol)) return true;
  const headers = valueAt(protocol, ['message', 'headers']);
  const paths = ['createSession', 'message'].map((part) => valueAt(protocol, [part, 'path']));
  return [...paths, ...(isObject(headers) ? Object.values(headers) : [])].some(
    (text) => typeof text === 'string' && text.includes('{{agentId}}'),
  );
}

function flagOf(protocol: unknown): string {
  const named = protocolNames.find((name) => name === protocol);
  if (named !== undefined && knownProtocols[named].agentsOnly !== true) return '--model';
  return protocol === undefined ? '--agent-id (--model for an API of models)' : '--agent-id';
}
