import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { printable } from '../base/printable.ts';
import { writeNewFiles, type NewFile } from '../edge/disk/write-new-files.ts';
import { pathInPackage } from '../edge/path-in-package.ts';
import type { Command } from './command.ts';
import { packageSource, projectFiles, typePackages } from '../app/init/project-files.ts';
import { stdout } from './terminal.ts';

/** The shipped scenarios. */
const examples = ['agent', 'smoke', 'peak', 'soak', 'open', 'personas', 'retry-storm', 'knee', 'nightly'] as const;
type ExampleName = (typeof examples)[number];

interface InitArguments {
  folder: string;
  example: ExampleName;
  ci?: 'github' | undefined;
}

export const initCommand: Command<InitArguments> = {
  builder: (yargs) =>
    yargs
      .positional('folder', { type: 'string', default: '.', describe: 'The folder to write to; created if missing' })
      .option('example', {
        choices: examples,
        default: 'agent' as const,
        requiresArg: true,
        describe: 'The scenario to write: agent is for your own agent, the others use the embedded service',
      })
      .option('ci', {
        choices: ['github'] as const,
        requiresArg: true,
        describe: 'Also write a workflow for the nightly job and the scenario that it runs',
      })
      .example('$0 init', 'A scenario for your own agent, in scenarios/agent.ts')
      .example('$0 init load-tests --ci github', 'In a folder of its own, with a workflow')
      .example('$0 init --example peak', 'A copy of a shipped scenario')
      .epilogue(
        'No file is overwritten. An existing scenario (with --ci: an existing workflow) ends the command with exit code 2; ' +
          'with --ci, existing scenarios are kept.',
      ),
  handler: async ({ folder, example, ci }) => {
    const names = new Set([example, ...(ci === undefined ? [] : ['nightly' as const])]);
    const scenarios = await Promise.all([...names].map(readScenario));
    const project = await projectFiles(folder);
    const workflow = ci === undefined ? [] : [await readWorkflow()];
    const kept = (ci === undefined ? project : [...scenarios, ...project]).filter(({ path }) =>
      existsSync(join(folder, path)),
    );
    const files = [...scenarios, ...workflow, ...project].filter((file) => !kept.includes(file));
    await writeNewFiles(folder, files);
    for (const { path } of files) stdout.note(`wrote     ${join(folder, path)}`);
    for (const { path } of kept) stdout.note(`kept      ${join(folder, path)}`);
    const isNamed = await hasChatLoad(folder);
    stdout.line(`\n${sourceLine(folder)}${nextSteps(folder, example, isNamed)}`);
  },
};

const readShipped = (path: string): Promise<string> => readFile(pathInPackage(path), 'utf8');

async function readScenario(example: ExampleName): Promise<NewFile> {
  const path = `scenarios/${example}.ts`;
  return { path, text: await readShipped(path) };
}

const readWorkflow = async (): Promise<NewFile> => ({
  path: '.github/workflows/performance.yml',
  text: await readShipped('docs/nightly/github-actions.yml'),
});

/** Whether the package.json that is there now names chat-load. */
const hasChatLoad = async (folder: string): Promise<boolean> =>
  (await readFile(join(folder, 'package.json'), 'utf8')).includes('"chat-load"');

/** A path holds on this machine alone. */
function sourceLine(folder: string): string {
  const source = packageSource(folder);
  return source.startsWith('file:')
    ? `chat-load from this checkout, ${printable(source)}: where it is not at that path, such as in CI, name another source\n`
    : '';
}

/** The commands that come next, one a line. */
function nextSteps(folder: string, example: ExampleName, isNamed: boolean): string {
  const commands = [
    ...(folder === '.' ? [] : [`cd ${quoted(folder)}`]),
    isNamed ? 'npm install' : `npm install --save-dev ${[toInstall(folder), ...typePackages].join(' ')}`,
    `npx chat-load ${example === 'agent' ? 'check' : 'run'} scenarios/${example}.ts`,
  ];
  const steps = `next      ${commands.join('\n          ')}`;
  return example === 'agent' ? `${variables}\n${steps}` : steps;
}

/** As a word of a shell. */
const quoted = (path: string): string => printable(path.includes(' ') ? `"${path}"` : path);

function toInstall(folder: string): string {
  const source = packageSource(folder);
  return source.startsWith('file:') ? quoted(source) : `chat-load@${source}`;
}

const variables =
  'first     set CHAT_LOAD_BASE_URL, CHAT_LOAD_AGENT_ID and CHAT_LOAD_API_KEY, as scenarios/agent.ts says';
