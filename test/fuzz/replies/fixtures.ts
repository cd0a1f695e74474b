import { protocolNames, protocols, type ProtocolName } from '../../../src/protocol/registry/registry.ts';
import type { ChatApi, ChatProtocol } from '../../../src/protocol/protocol.ts';
import type { GalleryRow, Raw } from '../../gallery/row.ts';
import { galleryRows } from '../../gallery/rows.ts';
import { bareTarget } from '../../support/stream-events.ts';
import { definedFixtures } from './defined-fixtures.ts';
import { otherEnds } from './other-ends.ts';
import { partsOf, type Form, type Part } from './parts.ts';

/** A reply in the bytes of its service, and the reader of such replies. */
export interface Fixture {
  readonly name: string;
  /** Name of the protocol, or of the definition. */
  readonly of: string;
  readonly open: () => ChatApi;
  readonly form: Form;
  readonly status: number;
  readonly contentType: string;
  readonly parts: readonly Part[];
  /** True if the reply creates a session, or opens its socket. */
  readonly isCreation?: boolean;
  /** True if the end of the response is the end of the reply. */
  readonly endsByClose?: true;
}

function fixturesOf(name: ProtocolName): Fixture[] {
  const { cells, target: own, created }: GalleryRow = galleryRows[name];
  const { protocol }: { protocol: ChatProtocol } = protocols[name];
  const { agentId = 'model-1' } = own;
  const found = Object.entries({ ...cells, creation: created }).flatMap(([cell, content]) => rawsIn(content, cell));
  return found.flatMap(({ raw, path }) => {
    const isStreamed =
      !/\bwhole\b/.test(path) && (protocol.streamsOnly === true || raw.status !== 200 || isStream(raw));
    const open = () => protocol.open({ ...target, agentId, stream: isStreamed && protocol.wholeOnly !== true });
    const form = formOf(raw);
    const parts = partsOf(form, Buffer.from(asFirst(raw.body)));
    const contentType = raw.headers['content-type'] ?? '';
    const fixture: Fixture = {
      name: `${name} ${path}`,
      of: name,
      open,
      form,
      status: raw.status,
      contentType,
      parts,
      isCreation: path === 'creation',
    };
    return [fixture, ...variantsOf(fixture, otherEnds[name])];
  });
}

const target = {
  ...bareTarget,
  createSession: { ...bareTarget.createSession, sessionIdFrom: 'data.sessionId' },
};

/** Fixtures that end with other reasons. */
function variantsOf(fixture: Fixture, { from, to }: { from: string; to: readonly string[] }): Fixture[] {
  if (!fixture.parts.some(({ data }) => data.includes(from))) return [];
  return to.map((reason) => ({
    ...fixture,
    name: `${fixture.name}, ${reason}`,
    parts: fixture.parts.map(({ type, data }) => ({ type, data: data.replaceAll(from, reason) })),
  }));
}

const isStream = ({ headers }: Raw): boolean => /event-?stream/.test(headers['content-type'] ?? '');

function formOf({ status, headers }: Raw): Form {
  if (status === 101) return 'frames';
  const { 'content-type': type = '' } = headers;
  return type.startsWith('text/event-stream') ? 'sse' : type.includes('amazon.eventstream') ? 'aws' : 'whole';
}

/** Returns the body of the first response of a script. */
const asFirst = (body: Raw['body']): Raw['body'] => (typeof body === 'string' ? body.replaceAll('#N#', '1') : body);

/** Returns the responses in a cell of the gallery, with their paths. */
function rawsIn(content: unknown, path: string): { raw: Raw; path: string }[] {
  if (typeof content !== 'object' || content === null || Buffer.isBuffer(content)) return [];
  if (isRaw(content)) return [{ raw: content, path }];
  return Object.entries(content).flatMap(([key, inner]) => rawsIn(inner, `${path} ${key}`));
}

const isRaw = (value: object): value is Raw => 'body' in value && 'headers' in value && 'status' in value;

/** Replies of every protocol of the registry, and of definitions. */
export const fixtures: readonly Fixture[] = [...protocolNames.flatMap(fixturesOf), ...definedFixtures];

/** An ordinary streamed reply and an ordinary non-streamed one of every reader. */
export const ordinary: readonly Fixture[] = fixtures.filter(({ name }) =>
  /^\S+ (?:streamed|whole)(?: answer)?$/.test(name),
);
