/** Makes a result of one version that of the next. */
export interface Migration {
  from: number;
  apply: (result: unknown) => unknown;
}

export const newestVersion = 1;

/** In the order of versions. There has been one version alone. */
const migrations: readonly Migration[] = [];

/** A result as one of the newest version; `undefined` when no way leads there. */
export function migrate(
  result: unknown,
  version: unknown,
  { steps = migrations, newest = newestVersion }: { steps?: readonly Migration[]; newest?: number } = {},
): unknown {
  if (version === newest) return result;
  const step = steps.find(({ from }) => from === version);
  return step && migrate(step.apply(result), step.from + 1, { steps, newest });
}
