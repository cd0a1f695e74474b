import { protocols, servedNames, type ServedName } from '../../protocol/registry/registry.ts';
import type { ServedApi } from '../exchange/served-api.ts';

/** The APIs of the service, in the order of its statistics. */
export type ServedApis = Readonly<Record<ServedName, ServedApi>>;

/** Loads every API of the registry, one after another: TypeScript loaders may expose half-initialized shared modules otherwise. */
export async function loadApis(): Promise<ServedApis> {
  const loaded: Partial<Record<ServedName, ServedApi>> = {};
  for (const name of servedNames()) loaded[name] = (await protocols[name].served()).servedApi;
  return loaded as ServedApis;
}
