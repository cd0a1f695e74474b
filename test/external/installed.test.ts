import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { satisfies } from 'semver';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, root, runCommand } from '../support/command.ts';

const execute = promisify(execFile);

/** Creates a folder (its path contains a space) with a scenario, a module and a data file, and no node_modules. */
async function makeProject(): Promise<string> {
  const folder = await makeFolder();
  await writeFile(join(folder, 'customers.csv'), 'name,plan\nAda,pro\nGrace,team\n');
  await writeFile(join(folder, 'words.ts'), "export const words: string[] = ['Hello, I am {{customerName}}'];\n");
  await writeFile(
    join(folder, 'my.ts'),
    `import { defineScenario, type Scenario } from 'chat-load';
import { words } from '../words.ts';
const size: Pick<Scenario, 'sessions'> = { sessions: 3 };
export default defineScenario({
  name: 'mine', ...size, turns: 2, messages: words, data: { customers: { file: 'customers.csv' } },
  variableValues: { customerName: '{{pick customers.name}}', orderNumber: 4 },
});
`,
  );
  return folder;
}

/** The command of a package in node_modules, started in the project. */
const runInstalled = (folder: string) =>
  execute(process.execPath, ['node_modules/chat-load/dist/cli/main.js', 'run', 'my.ts'], { cwd: folder });

async function expectRan(folder: string, stdout: string): Promise<Result> {
  const result = await readResult(join(folder, 'results'));
  expect([result.run.status, result.books.turns.ok, result.books.balanced]).toEqual(['completed', 6, true]);
  expect(stdout).toMatch(/\nresult {4}results\/mine-\d{8}T\d{6}Z\.json\nPASSED(, but degraded: .+)?\n$/);
  return result;
}

async function link(to: string, from: string): Promise<void> {
  await mkdir(dirname(from), { recursive: true });
  await symlink(to, from);
}

test('a scenario in a project without node_modules runs', async () => {
  const folder = await makeProject();
  const { code, stdout, stderr } = await runCommand(['run', 'my.ts'], { cwd: folder });
  expect([code, stderr]).toEqual([0, '']);
  await expectRan(folder, stdout);
});

test('a scenario in a project that links the checkout runs', async () => {
  const folder = await makeProject();
  await link(root, join(folder, 'node_modules/chat-load'));
  await expectRan(folder, (await runInstalled(folder)).stdout);
});

interface Package {
  version: string;
  license?: string;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  dev?: boolean;
  hasInstallScript?: boolean;
  engines?: { node?: string };
}

describe('the contents of the package', () => {
  /** Everything that is installed with it, by path. */
  const readPackages = async (): Promise<[path: string, Package][]> => {
    const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, Package>;
    };
    return Object.entries(packages).filter(([path, { dev = false }]) => path !== '' && !dev);
  };

  test('has licences that ask for a notice at most, the optional packages included', async () => {
    const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, Package>;
    };
    const { '': own } = packages;
    const used = new Set<string>();
    const add = (from: string, names: readonly string[]): void => {
      for (const name of names) {
        const path = placeOf(packages, from, name);
        if (path === undefined || used.has(path)) continue;
        used.add(path);
        const { dependencies, optionalDependencies, peerDependencies } = packages[path] ?? {};
        add(path, Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }));
      }
    };
    add('', Object.keys({ ...own?.dependencies, ...own?.peerDependencies }));
    expect(used).toContain('node_modules/bullmq');
    // `(MIT AND Zlib)` is pako, part of hdr-histogram-js.
    const accepted = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', '(MIT AND Zlib)'];
    const licences = [...used].map((path) => [path, packages[path]?.license ?? 'none']);
    expect(licences.filter(([, licence = '']) => !accepted.includes(licence))).toEqual([]);
  });

  test('is small', async () => {
    expect((await readPackages()).length).toBeLessThan(120);
  });

  test('runs on the oldest Node.js that the package names, and installs without an install script', async () => {
    const unfit = (await readPackages()).filter(
      ([, { engines, hasInstallScript = false }]) => hasInstallScript || !satisfies('20.19.0', engines?.node ?? '*'),
    );
    expect(unfit).toEqual([]);
  });

  test('equals the set that npm selects by itself', async () => {
    const own = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    expect(own).not.toHaveProperty('overrides');
    // npm warns of a package that has one of these.
    for (const script of ['preinstall', 'install', 'postinstall', 'prepare'])
      expect(own.scripts).not.toHaveProperty(script);
  });
});

/** Returns the path at which a package finds another one, as Node.js does. */
function placeOf(packages: Readonly<Record<string, Package>>, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (path in packages) return path;
    if (folder === '') return undefined;
  }
}

interface Packed {
  filename: string;
  size: number;
  unpackedSize: number;
  files: { path: string }[];
}

describe('the packed package', () => {
  let project: string;
  let files: string[];
  let packed: Packed | undefined;

  beforeAll(async () => {
    project = await makeProject();
    // Scripts are disabled: they would rebuild the files that concurrent tests run.
    const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', project];
    const { stdout } = await execute('npm', words, { cwd: root });
    [packed] = JSON.parse(stdout) as Packed[];
    files = (packed?.files ?? []).map(({ path }) => path);
    const installed = join(project, 'node_modules/chat-load');
    await mkdir(installed, { recursive: true });
    await execute('tar', ['-xzf', join(project, packed?.filename ?? ''), '--strip-components=1', '-C', installed]);
    // Installs only the declared dependencies, so that an undeclared one fails.
    const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    for (const name of Object.keys(dependencies))
      await link(join(root, 'node_modules', name), join(project, 'node_modules', name));
  });

  test('contains code and documents, and no tests', () => {
    const expected = [
      'dist/cli/main.js',
      'dist/reference-service/embedded-process.js',
      'dist/index.js',
      'dist/index.d.ts',
      'docs/result.schema.json',
      'scenarios/peak.ts',
      'LICENSE',
      'README.md',
      'CHANGELOG.md',
    ];
    expect(files).toEqual(expect.arrayContaining(expected));
    expect(files.filter((path) => /\.test\.|\.map$|^(test|src|dev|results)\//.test(path))).toEqual([]);
  });

  test('contains these folders and files alone, and is not large', () => {
    const tops = new Set(files.map((path) => path.split('/')[0] ?? ''));
    const documents = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json'];
    expect([...tops].sort()).toEqual([...documents, 'bench', 'dist', 'docs', 'scenarios'].sort());
    expect(files.filter((path) => path.startsWith('bench/'))).toEqual(['bench/results.md']);
    expect(packed?.size).toBeLessThan(3_000_000);
    expect(packed?.unpackedSize).toBeLessThan(12_000_000);
  });

  test('has entry points and types that every tool resolves', async () => {
    const pkgDir = join(project, 'node_modules/chat-load');
    const { messages, pkg } = await publint({ pkgDir, strict: true, pack: false });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test('contains all build output', async () => {
    const built = await readdir(join(root, 'dist'), { recursive: true, withFileTypes: true });
    const paths = built
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(root, join(parentPath, name)));
    expect(paths.length).toBeGreaterThan(50);
    expect(paths.filter((path) => !files.includes(path) && !path.endsWith('.map'))).toEqual([]);
  });

  test('contains the files that its README links', async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8');
    const linked = [...readme.matchAll(/\]\((?!\w+:|#)([^)#]+)/g)].map(([, path]) => path);
    expect(linked).toContain('docs/guides/nightly.md');
    expect(files).toEqual(expect.arrayContaining(linked));
  });

  test('runs a scenario with its declared dependencies alone, and names those required to export metrics and traces: a push ends no run', async () => {
    const command = ['node_modules/chat-load/dist/cli/main.js', 'run', 'my.ts'];
    const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    const refused = execute(process.execPath, [...command, '--metrics-port', '0'], { cwd: project });
    const failed = await refused.then(
      () => undefined,
      (thrown: unknown) => thrown as { code: number; stderr: string },
    );
    expect(failed?.code).toBe(2);
    expect(failed?.stderr).toMatch(/npm install @opentelemetry\/api@\d/);
    const warned = await execute(process.execPath, [...command, '--trace'], { cwd: project, env });
    expect(warned.stderr).toMatch(/^warning: No metrics are pushed.* npm install @opentelemetry/m);
    expect(warned.stderr).toMatch(/^warning: No traces are exported.* npm install @opentelemetry.*exporter-trace/m);
    const { warnings } = await expectRan(project, warned.stdout);
    const codes = warnings.map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(['metrics_not_exported', 'traces_not_exported']));
  });

  describe('in a project of TypeScript', () => {
    beforeAll(async () => {
      const page = await readFile(join(root, 'docs/reference/library.md'), 'utf8');
      const [, example = ''] = /```ts\n(.*?)```/s.exec(page) ?? [];
      await writeFile(join(project, 'release.test.ts'), example);
      for (const name of ['vitest', '@types/node'])
        await link(join(root, 'node_modules', name), join(project, 'node_modules', name));
    });

    test('gates a release from a test, as docs/reference/library.md shows', async () => {
      const words = ['node_modules/vitest/vitest.mjs', 'run', 'release.test.ts'];
      const env = { ...process.env, NO_COLOR: '1' };
      const { stdout } = await execute(process.execPath, words, { cwd: project, env });
      expect(stdout).toMatch(/Tests +1 passed/);
    });

    test('has the right types for that, and for every shipped scenario in a project that init writes', async () => {
      for (const name of await readdir(join(root, 'scenarios')))
        await performCommand(['init', join(project, 'load'), '--example', name.replace('.ts', '')]);
      const wrong = `import type { Comparison, Result } from 'chat-load';
export const seed: Result['scenario']['seed'] = 'one';
export const verdict: Comparison['verdict'] = 'none';
`;
      await writeFile(join(project, 'wrong.ts'), wrong);
      await writeFile(
        join(project, 'load/wrong.ts'),
        "import type { Scenario } from 'chat-load';\nexport const wrong: Scenario = 1;\n",
      );
      const config = {
        extends: './load/tsconfig.json',
        compilerOptions: { exactOptionalPropertyTypes: true },
        include: ['load', 'release.test.ts', 'wrong.ts'],
      };
      await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config));
      const words = [join(root, 'node_modules/typescript/bin/tsc'), '--pretty', 'false'];
      const types = execute(process.execPath, words, { cwd: project });
      const problems = (await types.catch((thrown: unknown) => thrown as { stdout: string })).stdout;
      expect(problems.match(/^\S+ error TS\d+/gm)?.sort()).toEqual([
        'load/wrong.ts(2,14): error TS2322',
        'wrong.ts(2,14): error TS2322',
        'wrong.ts(3,14): error TS2322',
      ]);
    });
  });

  test('can be imported by its name, the result schema too', async () => {
    const code = `
      import { defineScenario } from 'chat-load';
      import schema from 'chat-load/result.schema.json' with { type: 'json' };
      console.log(defineScenario({ name: 'x', messages: ['hi'], sessions: 1 }).name, schema.title);`;
    const words = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code];
    const { stdout } = await execute(process.execPath, words, { cwd: project });
    expect(stdout).toBe('x chat-load result\n');
  });
});
