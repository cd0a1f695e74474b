import { protocols, type ProtocolName } from '../../protocol/registry/registry.ts';
import type { ServedApi } from '../exchange/served-api.ts';

/** The APIs that the service speaks, in the order of its books. */
export type ServedApis = Readonly<Record<ProtocolName, ServedApi>>;

/** Loads every API of the registry. */
export async function loadApis(): Promise<ServedApis> {
  const names = Object.keys(protocols) as ProtocolName[];
  const loaded = await Promise.all(
    names.map(async (name) => [name, (await protocols[name].served()).servedApi] as const),
  );
  return Object.fromEntries(loaded) as ServedApis;
}
