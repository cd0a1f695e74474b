import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/command.ts';

const virtual = join(root, 'test/stacks/.venv/bin/python');

/** Python with the packages of requirements.txt, if they are installed. */
export const python = existsSync(virtual) ? virtual : 'python3';

/** Reports whether packages can be imported; prints a notice if not. */
export function hasPackages(packages: string, what: string): boolean {
  const { status, error, stderr } = spawnSync(python, ['-c', `import ${packages}`], { encoding: 'utf8' });
  if (status === 0) return true;
  const why = error?.message ?? stderr.trim().split('\n').at(-1) ?? '';
  process.stdout.write(`${what} is not tested: ${why}. See test/stacks/README.md.\n`);
  return false;
}
