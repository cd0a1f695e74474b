import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeNewFiles, type NewFile } from '../edge/disk/write-new-files.ts';
import { pathInPackage } from '../edge/path-in-package.ts';
import type { Command } from './command.ts';
import { stdout } from './terminal.ts';
import { toolVersion } from '../edge/tool-version.ts';

/** The shipped scenarios. */
const examples = ['agent', 'smoke', 'peak', 'soak', 'open', 'retry-storm', 'nightly'] as const;
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
      .epilogue('No file is overwritten: an existing one ends the command with exit code 2.'),
  handler: async ({ folder, example, ci }) => {
    const scenarios = new Set([example, ...(ci === undefined ? [] : ['nightly' as const])]);
    const files = [
      ...(await Promise.all([...scenarios].map(readScenario))),
      ...(ci === undefined ? [] : [await readWorkflow()]),
      ...(existsSync(join(folder, 'package.json')) ? [] : [packageFile]),
    ];
    await writeNewFiles(folder, files);
    for (const { path } of files) stdout.line(`wrote     ${join(folder, path)}`);
    stdout.line(`\n${nextSteps(folder, example, await hasChatLoad(folder))}`);
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

const packageFile: NewFile = {
  path: 'package.json',
  text: `${JSON.stringify({ private: true, type: 'module', devDependencies: { 'chat-load': `^${toolVersion}` } }, null, 2)}\n`,
};

/** Whether the package.json that is there now names chat-load. */
const hasChatLoad = async (folder: string): Promise<boolean> =>
  (await readFile(join(folder, 'package.json'), 'utf8')).includes('"chat-load"');

/** The commands that come next, one a line. */
function nextSteps(folder: string, example: ExampleName, isNamed: boolean): string {
  const commands = [
    ...(folder === '.' ? [] : [`cd ${folder.includes(' ') ? `"${folder}"` : folder}`]),
    isNamed ? 'npm install' : 'npm install --save-dev chat-load',
    `npx chat-load ${example === 'agent' ? 'check' : 'run'} scenarios/${example}.ts`,
  ];
  const steps = `next      ${commands.join('\n          ')}`;
  return example === 'agent' ? `${variables}\n${steps}` : steps;
}

const variables =
  'first     set CHAT_LOAD_BASE_URL, CHAT_LOAD_AGENT_ID and CHAT_LOAD_API_KEY, as scenarios/agent.ts says';
