/** Dependencies that are bundled into the published code; zod alone has some 90 files. The published types still import it. */
export const bundled: readonly string[] = ['zod'];

/** Returns the package of a module by its path, if it is a dependency. */
export function packageOf(path: string): string | undefined {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
}
