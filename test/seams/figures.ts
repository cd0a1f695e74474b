/** Figures by name, all of them numbers; what there is nothing of is `null`. */
export type Figures = Record<string, number | null>;

/** Figures, or parts of a result with figures in them. */
export interface Tree {
  [name: string]: number | null | Tree;
}

/** Every number and `null` in parts of a result, by its dotted path. */
export function flatten(parts: object): Figures {
  const figures: Figures = {};
  addAll(figures, '', parts);
  return figures;
}

function addAll(into: Figures, path: string, value: unknown): void {
  if (typeof value === 'number' || value === null) into[path] = value;
  else if (typeof value === 'object')
    for (const [name, inner] of Object.entries(value)) addAll(into, path === '' ? name : `${path}.${name}`, inner);
}

export function shareOf(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}
