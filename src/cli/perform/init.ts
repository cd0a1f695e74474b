import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  agentScenario,
  agentTarget,
  neededVariables,
  type AgentAnswers,
  type AgentTarget,
  askAgent,
  type Ask,
} from '../../app/init/agent-scenario.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { writeNewFiles, type NewFile } from '../../edge/disk/write-new-files.ts';
import { pathInPackage } from '../../edge/path-in-package.ts';
import { packageSource, projectFiles, typePackages } from '../../app/init/project-files.ts';
import { stdout } from '../console/terminal.ts';
import type { Given } from '../parser/options.ts';

type InitArguments = Given<'init'> & { folder: string };
type ExampleName = NonNullable<InitArguments['example']>;

export async function initProject(args: InitArguments): Promise<void> {
  const { folder, ci, example = 'agent' } = args;
  const target = await readTarget(args);
  const names = new Set([example, ...(ci === undefined ? [] : ['nightly' as const])]);
  const scenarios = (await Promise.all([...names].map(readScenario))).map((file) =>
    target === undefined || file.path !== agentPath ? file : { ...file, text: agentScenario(file.text, target) },
  );
  const project = await projectFiles(folder);
  const workflow = ci === undefined ? [] : [await readWorkflow()];
  const kept = (ci === undefined ? project : [...scenarios, ...project]).filter(({ path }) =>
    existsSync(join(folder, path)),
  );
  const files = [...scenarios, ...workflow, ...project].filter((file) => !kept.includes(file));
  await writeNewFiles(folder, files);
  for (const { path } of files) stdout.note(`wrote     ${join(folder, path)}`);
  for (const { path } of kept) stdout.note(`kept      ${join(folder, path)}`);
  const missing = await missingPackages(folder);
  stdout.line(`\n${sourceLine(folder)}${nextSteps({ folder, example, missing, target })}`);
}

const agentPath = 'scenarios/agent.ts';

/** Returns the target from flags or answers; `undefined`: the scenario is written as shipped. */
async function readTarget(args: InitArguments): Promise<AgentTarget | undefined> {
  const { protocol, url, model, 'agent-id': agentId, stream, example, ci, yes } = args;
  const hasKey = (process.env['CHAT_LOAD_API_KEY'] ?? '') !== '';
  const isGiven = stream || [protocol, url, model, agentId].some((value) => value !== undefined);
  if (isGiven && example !== undefined && example !== 'agent')
    throw new ChatLoadError('usage', {
      message: `--example ${example} is a scenario for the embedded service and has no target.`,
      hint: 'Omit --example to write a scenario for your own agent.',
    });
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
    throw new ChatLoadError('usage', {
      message: 'Nothing was written: the questions were not answered.',
      hint: 'chat-load init --yes does not prompt.',
    });
  } finally {
    lines.close();
  }
}

const readShipped = (path: string): Promise<string> => readFile(pathInPackage(path), 'utf8');

async function readScenario(example: ExampleName): Promise<NewFile> {
  const path = `scenarios/${example}.ts`;
  return { path, text: await readShipped(path) };
}

const readWorkflow = async (): Promise<NewFile> => ({
  path: '.github/workflows/performance.yml',
  text: await readShipped('docs/nightly/github-actions.yml'),
});

/** Returns the packages missing from the present package.json. */
async function missingPackages(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, 'package.json'), 'utf8');
  return ['chat-load', ...typePackages].filter((name) => !text.includes(`"${name}"`));
}

/** Notes that a path is valid only on this machine. */
function sourceLine(folder: string): string {
  const source = packageSource(folder);
  return source.startsWith('file:')
    ? `source    chat-load is installed from this checkout, ${printable(source)};\n          use another source where that path does not exist, such as in CI\n`
    : '';
}

interface Written {
  folder: string;
  example: ExampleName;
  missing: readonly string[];
  target: AgentTarget | undefined;
}

/** Returns the next commands, one per line. */
function nextSteps({ folder, example, missing, target }: Written): string {
  const scenario = `scenarios/${example}.ts`;
  const named = missing.map((name) => (name === 'chat-load' ? toInstall(folder) : name));
  const commands = [
    ...(folder === '.' ? [] : [`cd ${quoted(folder)}`]),
    named.length === 0 ? 'npm install' : `npm install --save-dev ${named.join(' ')}`,
    ...(example === 'agent' ? [`npx chat-load try ${scenario}`, `npx chat-load plan ${scenario}`] : []),
    `npx chat-load run ${scenario}`,
  ];
  const steps = `next      ${commands.join('\n          ')}`;
  if (example !== 'agent') return steps;
  const needed = target === undefined ? allVariables : neededVariables(target);
  return needed.length === 0 ? steps : `first     set ${needed.join(', ')} (see ${agentPath})\n${steps}`;
}

/** Quotes a path for a shell. */
const quoted = (path: string): string => printable(path.includes(' ') ? `"${path}"` : path);

function toInstall(folder: string): string {
  const source = packageSource(folder);
  return source.startsWith('file:') ? quoted(source) : `chat-load@${source}`;
}

const allVariables = ['CHAT_LOAD_BASE_URL', 'CHAT_LOAD_AGENT_ID', 'CHAT_LOAD_API_KEY'];
