import { existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, basename, dirname, relative, resolve, sep } from 'node:path';
import {
  agentScenario,
  agentTarget,
  neededVariables,
  shippedVariables,
  type AgentAnswers,
  type AgentTarget,
  askAgent,
  type Ask,
} from '../../app/init/agent-scenario.ts';
import { usageError } from '../../base/errors.ts';
import { shellWord } from '../../base/format.ts';
import { printable } from '../../base/printable.ts';
import { writeNewFiles, type NewFile } from '../../edge/disk/write-new-files.ts';
import { pathInPackage } from '../../edge/path-in-package.ts';
import { stdout } from '../console/terminal.ts';
import type { Given } from '../parser/options.ts';
import { ignoreFile, noteKept } from './kept-files.ts';
import { toolVersion } from '../../edge/tool-version.ts';

type InitArguments = Given<'init'> & { folder: string };

export async function initProject(args: InitArguments): Promise<number | undefined> {
  const { folder, ci, example = 'agent' } = args;
  if (args['from-curl'] !== undefined || args['from-openapi'] !== undefined) return initGiven(args);
  if (args.operation !== undefined)
    throw usageError('--operation requires --from-openapi.', 'Name the file: --from-openapi openapi.json.');
  if (args.parameter !== undefined)
    throw usageError('--parameter requires --from-openapi.', 'Name the file: --from-openapi openapi.json.');
  const target = await readTarget(args);
  const names = new Set([example, ...(ci === undefined ? [] : ['nightly' as const])]);
  const paths = [...names].flatMap((name) => [`scenarios/${name}.ts`, ...(name === 'inside' ? [insideAgentPath] : [])]);
  const scenarios = (await Promise.all(paths.map((path) => readShipped(path)))).map((file) =>
    target === undefined || file.path !== agentPath ? file : { ...file, text: agentScenario(file.text, target) },
  );
  const project = await projectFiles(folder);
  const workflow =
    ci === undefined ? [] : [await readShipped('docs/nightly/github-actions.yml', '.github/workflows/performance.yml')];
  const kept = (ci === undefined ? project : [...scenarios, ...project]).filter(({ path }) =>
    existsSync(join(folder, path)),
  );
  const files = [...scenarios, ...workflow, ...project].filter((file) => !kept.includes(file));
  await writeNewFiles(folder, files);
  for (const { path } of files) stdout.note(`wrote     ${join(folder, path)}`);
  await noteKept(folder, kept);
  const present = await readFile(join(folder, 'package.json'), 'utf8');
  const missing = ['chat-load', ...typePackages].filter((name) => !present.includes(`"${name}"`));
  const job = workflow.map(({ path }) => workflowLine(path)).join('');
  stdout.line(`\n${sourceLine(folder)}${job}${nextSteps({ folder, example, missing, target })}`);
  return undefined;
}

/** Writes the scenario of a curl command or an OpenAPI description, and tries it. */
async function initGiven(args: InitArguments): Promise<number> {
  const { folder, ci, example, protocol, stream, 'from-curl': curl, 'from-openapi': openapi } = args;
  const flag = curl === undefined ? '--from-openapi' : '--from-curl';
  const others = {
    '--from-openapi': curl !== undefined && openapi,
    '--example': example,
    '--ci': ci,
    '--protocol': protocol,
  };
  const ofCurl =
    curl === undefined ? {} : { '--url': args.url, '--operation': args.operation, '--parameter': args.parameter };
  const [other] =
    Object.entries({ ...others, ...ofCurl }).find(([, value]) => value !== undefined && value !== false) ?? [];
  if (other !== undefined)
    throw usageError(`${other} has no effect with ${flag}, which shows the API.`, `Omit ${other}.`);
  const { readGiven, tryGiven } = await import('./init-given.ts');
  const api = { ...(await readGiven(args)), stream };
  const shipped = await readShipped(agentPath);
  const [present, missing] = (await projectFiles(folder)).reduce<[NewFile[], NewFile[]]>(
    ([some, others], file) =>
      existsSync(join(folder, file.path)) ? [[...some, file], others] : [some, [...others, file]],
    [[], []],
  );
  return tryGiven(api, { folder, shipped, missing, kept: present, agentId: args.model ?? args['agent-id'] });
}

const agentPath = 'scenarios/agent.ts';
/** The agent that the scenario `inside` starts. */
const insideAgentPath = 'scenarios/inside-agent.mjs';

/** Returns the target from flags or answers; `undefined`: the scenario is written as shipped. */
async function readTarget(args: InitArguments): Promise<AgentTarget | undefined> {
  const { protocol, url, model, 'agent-id': agentId, stream, example, ci, yes } = args;
  const hasKey = (process.env['CHAT_LOAD_API_KEY'] ?? '') !== '';
  const isGiven = stream || [protocol, url, model, agentId].some((value) => value !== undefined);
  if (isGiven && example !== undefined && example !== 'agent')
    throw usageError(
      `--example ${example} is a scenario with a service of its own, and takes no target.`,
      'Omit --example to write a scenario for your own agent.',
    );
  if (isGiven) return agentTarget({ protocol, url, model, agentId, stream, hasKey });
  if (yes || example !== undefined || ci !== undefined || !process.stdin.isTTY || !stdout.isTTY) return undefined;
  return agentTarget(await askOnTerminal(hasKey));
}

/** Prompts for the target. Ctrl-C ends the process; the end of the input throws a usage error. */
async function askOnTerminal(hasKey: boolean): Promise<AgentAnswers> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new AbortController();
  lines.once('close', () => closed.abort());
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const ask: Ask = async (question, fallback) =>
      (await lines.question(`${question} [${fallback}]: `, { signal: closed.signal })).trim() || fallback;
    return await askAgent(ask, hasKey);
  } catch (thrown) {
    if (!closed.signal.aborted) throw thrown;
    throw usageError('Nothing was written: the questions were not answered.', 'chat-load init --yes does not prompt.');
  } finally {
    lines.close();
  }
}

/** Reads a file of the package; `path` is its path in the project. */
const readShipped = async (shipped: string, path = shipped): Promise<NewFile> => ({
  path,
  text: await readFile(pathInPackage(shipped), 'utf8'),
});

function sourceLine(folder: string): string {
  const source = packageSource(folder);
  return source.startsWith('file:')
    ? `source    chat-load is installed from this checkout, ${printable(source)};\n          use another source where that path does not exist, such as in CI\n`
    : '';
}

/** Names the settings of the repository that the workflow reads. */
const workflowLine = (path: string): string =>
  `workflow  set the variables HEAD_URL, AGENT_ID and ALLOW_HOSTS, and the secret\n          CHAT_LOAD_API_KEY of the repository (see ${path})\n`;

function nextSteps({
  folder,
  example,
  missing,
  target,
}: {
  folder: string;
  example: string;
  missing: readonly string[];
  target: AgentTarget | undefined;
}): string {
  const scenario = `scenarios/${example}.ts`;
  const source = packageSource(folder);
  const toInstall = source.startsWith('file:') ? quoted(source) : `chat-load@${source}`;
  const named = missing.map((name) => (name === 'chat-load' ? toInstall : name));
  const commands = [
    ...(folder === '.' ? [] : [`cd ${quoted(folder)}`]),
    named.length === 0 ? 'npm install' : `npm install --save-dev ${named.join(' ')}`,
    ...(example === 'agent' ? [`npx chat-load try ${scenario}`, `npx chat-load plan ${scenario}`] : []),
    `npx chat-load run ${scenario}`,
  ];
  const steps = `next      ${commands.join('\n          ')}`;
  if (example !== 'agent') return steps;
  const needed = target === undefined ? shippedVariables : neededVariables(target);
  const more = needed.length > 3 ? `,\n          ${needed.slice(3).join(', ')}` : '';
  const first = `first     set ${needed.slice(0, 3).join(', ')}${more} (see ${agentPath})\n`;
  return needed.length === 0 ? steps : `${first}${steps}`;
}

const quoted = (path: string): string => printable(shellWord(path));

/**
 * Returns the source of chat-load for a package.json in a folder: the path of its checkout, if it runs from one, otherwise
 * its version.
 */
function packageSource(folder: string): string {
  const own = realpathSync(pathInPackage(''));
  if (own.split(sep).includes('node_modules')) return `^${toolVersion}`;
  return `file:${relative(realPath(resolve(folder)), own).replaceAll(sep, '/') || '.'}`;
}

/** Resolves links in the path of a folder that may not exist yet. */
function realPath(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : join(realPath(dirname(folder)), basename(folder));
}

/** Packages, besides chat-load, needed to check the types of scenarios. */
const typePackages = ['@types/node', 'typescript'] as const;

/** Returns the files needed to run scenarios from a folder and to check their types. */
async function projectFiles(folder: string): Promise<NewFile[]> {
  const { devDependencies } = JSON.parse(await readFile(pathInPackage('package.json'), 'utf8')) as {
    devDependencies: Readonly<Record<string, string>>;
  };
  const types = typePackages.map((name) => [name, devDependencies[name] ?? '*'] as const);
  const packageFile = jsonFile('package.json', {
    private: true,
    type: 'module',
    devDependencies: Object.fromEntries([['chat-load', packageSource(folder)] as const, ...types].sort()),
  });
  return [packageFile, typesFile, ignoreFile];
}

const jsonFile = (path: string, content: object): NewFile => ({ path, text: `${JSON.stringify(content, null, 2)}\n` });

/** Configuration for `npx tsc` and editors. */
const typesFile = jsonFile('tsconfig.json', {
  compilerOptions: {
    target: 'ES2023',
    module: 'NodeNext',
    types: ['node'],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
});
