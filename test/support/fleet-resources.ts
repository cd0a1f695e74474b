import { parseAllDocuments } from 'yaml';

/** A resource of a manifest; fields are read by path. */
export interface ReadResource {
  kind: string;
  name: string;
  json: unknown;
}

/** Reads the resources of a manifest, by the YAML that kubectl reads unless another version is named. */
export function readManifest(text: string, version: '1.1' | '1.2' = '1.1'): ReadResource[] {
  return parseAllDocuments(text, { version }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0] ?? new Error('unreadable');
    const json = document.toJS() as { kind: string; metadata: { name: string } };
    return { kind: json.kind, name: json.metadata.name, json };
  });
}

/** The value of the first field with this name, at any depth, in the order of the text. */
export function firstField(json: unknown, name: string): unknown {
  if (typeof json !== 'object' || json === null) return undefined;
  if (Object.hasOwn(json, name)) return (json as Record<string, unknown>)[name];
  for (const inner of Object.values(json)) {
    const found = firstField(inner, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
