/** Lists the paths of values that JSON cannot represent (`undefined`, functions, NaN); empty if the value is safe. */
export function unsafeParts(value: unknown, path = ''): string[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [`${path}: ${String(value)}`];
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return [];
  if (typeof value !== 'object') return [`${path}: ${typeof value}`];
  return Object.entries(value).flatMap(([key, part]) => unsafeParts(part, `${path}.${key}`));
}
