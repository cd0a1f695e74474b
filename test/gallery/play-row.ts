import { runScenario, type Result, type Scenario } from '../../src/index.ts';
import type { ChatProtocol } from '../../src/protocol/protocol.ts';
import { protocols, type ProtocolName } from '../../src/protocol/registry/registry.ts';
import type { PreviousReply } from '../../src/scenario/scenario-values.ts';
import { openSocketVendor } from '../support/scripted-socket.ts';
import { openVendor, type Arrival, type Played } from '../support/scripted-vendor.ts';
import type { GalleryRow, Raw } from './row.ts';

/** A protocol with its row. */
export interface NamedRow {
  name: ProtocolName;
  row: GalleryRow;
}

/** A run of one session against the vendor's raw responses. */
interface Ran {
  result: Result;
  /** Replies as the user saw them, one per turn. */
  replies: readonly PreviousReply[];
  /** Requests with messages. */
  messages: readonly Arrival[];
  left: () => number;
}

/** Runs one session through the library: `Hello`, then `Bye` if there are two turns. Messages are answered by the script. */
export async function playRow(
  { name: protocol, row: { target, created } }: NamedRow,
  script: readonly Played[],
  { stream, turns = 1, ...more }: Partial<Scenario> & { stream: boolean; turns?: number },
): Promise<Ran> {
  const { transport }: ChatProtocol = protocols[protocol].protocol;
  const opening = created === undefined || transport === 'websocket' ? [] : [{ raw: created }];
  const vendor =
    transport === 'websocket' ? await openSocketVendor(script, created) : await openVendor([...opening, ...script]);
  const replies: PreviousReply[] = [];
  const result = await runScenario({
    name: 'gallery',
    sessions: 1,
    retry: 'none',
    onFailedTurn: 'continue',
    messages: {
      first: 'Hello',
      next: (reply) => {
        replies.push(reply);
        return replies.length < turns ? 'Bye' : null;
      },
    },
    ...more,
    target: { ...target, protocol, stream, baseUrl: vendor.baseUrl },
  });
  return { result, replies, messages: vendor.arrivals.slice(opening.length), left: vendor.left };
}

/** A response split between all of its bytes: within characters, lines, events and frames. */
export function byteByByte(raw: Raw): Played {
  return { raw, step: 1 };
}

/** Returns the JSON of a request, with UUIDs replaced. */
export function bodyOf(arrival: Arrival | undefined): unknown {
  const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
  return JSON.parse((arrival?.body ?? 'null').replace(uuid, 'UUID')) as unknown;
}

/** Returns all objects in a JSON value. */
export function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}
