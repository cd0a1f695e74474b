import { protocols, type ProtocolName } from '../../protocol/registry/registry.ts';
import type { ServedApi } from '../exchange/served-api.ts';

/** The APIs of the service, in the order of its statistics. */
export type ServedApis = Readonly<Record<ProtocolName, ServedApi>>;

/** Loads every API of the registry, one after another: TypeScript loaders may expose half-initialized shared modules otherwise. */
export async function loadApis(): Promise<ServedApis> {
  const loaded: Partial<Record<ProtocolName, ServedApi>> = {};
  for (const name of Object.keys(protocols) as ProtocolName[])
    loaded[name] = (await protocols[name].served()).servedApi;
  return loaded as ServedApis;
}
