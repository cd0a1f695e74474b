export interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: Schema | boolean;
}

/** The paths of fields of a JSON Schema that have no description. */
export function undescribedIn(schema: Schema, path: string): string[] {
  const inner = [
    schema.items,
    typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined,
  ];
  const parts = [...inner, ...(schema.anyOf ?? [])].filter((part) => part !== undefined);
  const fields = Object.entries(schema.properties ?? {});
  return [
    ...fields.filter(([, field]) => field.description === undefined).map(([name]) => `${path}.${name}`),
    ...fields.flatMap(([name, field]) => undescribedIn(field, `${path}.${name}`)),
    ...parts.flatMap((part) => undescribedIn(part, path)),
  ];
}
