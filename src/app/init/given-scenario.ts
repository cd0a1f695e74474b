import { isCredential } from '../../base/header-field.ts';
import { isLoopback, plainName } from '../../plan/host-names.ts';
import type { HeaderFields } from '../../protocol/protocol.ts';
import { protocols } from '../../protocol/registry/registry.ts';
import { agentScenario, type AgentTarget } from './agent-scenario.ts';
import { moveSecrets, targetLines } from './environment-references.ts';
import type { GivenApi } from './given-api.ts';
import { recognizeApi, type KnownApi } from './known-api.ts';
import { defineBot, recognizeBot } from './known-bot.ts';
import { literal } from './literal.ts';
import { sessionPlaces, withoutId } from './session-places.ts';
import { ownApi as defineOwn } from './own-definition.ts';

/** A scenario for a given API. */
export interface GivenScenario {
  readonly text: string;
  /** Chosen places: names and descriptions. */
  readonly chosen: readonly (readonly [part: string, words: string])[];
  /** Variables that the scenario reads, with their values if the source contains them. */
  readonly variables: ReadonlyMap<string, string | undefined>;
  /** True if replies are streamed. */
  readonly stream: boolean;
  /** True if places of replies are assumed, until a reply was seen. */
  readonly isAssumed: boolean;
}

/** Returns the scenario of a given API: the shipped one, with a known protocol or a definition. */
export function givenScenario(api: GivenApi, shipped: string, agentId?: string): GivenScenario {
  const { message, creation } = api;
  const url = new URL(message.url);
  for (const name of [...url.searchParams.keys()]) if (isCredential(name)) url.searchParams.delete(name);
  // Known protocols and bots receive JSON.
  const isKnown = message.fields === undefined;
  const recognized = isKnown ? recognizeApi(api, url) : undefined;
  const bot = isKnown && recognized === undefined ? recognizeBot(api) : undefined;
  const authorize = (key: string): HeaderFields =>
    recognized === undefined
      ? (bot?.recipe.authorize?.(key) ?? { Authorization: `Bearer ${key}` })
      : protocols[recognized.protocol].protocol.authorize(key);
  const places = recognized === undefined && bot === undefined ? sessionPlaces(api) : {};
  const moved = moveSecrets(
    { ...api, message: bot?.plain ?? withoutId(message, places) },
    authorize,
    recognized !== undefined,
  );
  const safe: GivenApi = {
    ...api,
    message: { ...message, body: moved.body },
    creation: creation && { ...creation, body: moved.creationBody },
  };
  const known = recognized && recognizeApi(safe, url);
  const own =
    known !== undefined ? undefined : bot === undefined ? defineOwn(safe, moved, places) : defineBot(bot, moved);
  const stream = known === undefined ? own?.stream === true : known.stream || (api.stream === true && canStream(known));
  const isHere = isLoopback(plainName(url.hostname));
  const values =
    own?.choosesIds === true
      ? '{ conversationId: () => crypto.randomUUID() }'
      : known?.variableValues && literal({ customerName: 'Ada', ...known.variableValues });
  const target: AgentTarget = {
    protocol: known?.protocol ?? 'own',
    isAssumed: false,
    baseUrl: known?.baseUrl ?? own?.baseUrl,
    messagesPath: known?.messagesPath,
    agentId: agentId ?? known?.agentId ?? own?.agentId,
    stream,
    host: isHere ? undefined : url.host,
    isOpen: false,
    given: {
      lines: targetLines({
        ...known?.target,
        ...moved.target,
        ...(known && api.cookies === true && { cookies: true }),
      }),
      definition: own?.text,
      variables: [...moved.variables.keys()],
      variableValues: values,
      message: known?.message ?? own?.message,
    },
  };
  const protocol =
    known === undefined
      ? bot === undefined
        ? 'a custom API, by a definition'
        : `${bot.recipe.title}, by a definition (docs/guides/bots.md)`
      : `${known.protocol}, by ${known.path === '' ? 'the body' : `the path ${known.path}`}`;
  return {
    text: agentScenario(shipped, target),
    chosen: [
      ['protocol', protocol],
      ...(own?.chosen ?? []),
      ...[...moved.missing].map(
        (name) => ['note', `${name} is missing: the source has a placeholder in its place, which is not sent`] as const,
      ),
      ...(own !== undefined && bot?.recipe.usesKeyOfCreation !== true && hasOwnKey(api)
        ? [
            [
              'note',
              'the key of the first command is not taken over: a definition sends one key in every request',
            ] as const,
          ]
        : []),
      ...moved.omitted.map(
        (name) => ['note', `the header ${name} is not taken over: it identifies one request`] as const,
      ),
    ],
    variables: moved.variables,
    stream,
    isAssumed: own?.isAssumed ?? (known?.target['createSession'] !== undefined && api.created === undefined),
  };
}

const canStream = ({ protocol }: KnownApi): boolean => protocols[protocol].protocol.wholeOnly !== true;

/** Reports whether the creation of a session has another key than messages. */
function hasOwnKey({ message, creation }: GivenApi): boolean {
  const [own, created] = [message, creation].map((request) =>
    request?.headers.filter(([name]) => /^authorization$/i.test(name)).map(([, value]) => value),
  );
  return created?.[0] !== undefined && created[0] !== own?.[0];
}
