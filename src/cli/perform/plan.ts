import { viewPlan } from '../../app/plan-view.ts';
import { printDocument } from '../console/deliver.ts';
import type { Given } from '../parser/options.ts';
import { settleScenario } from './settle-scenario.ts';
import { withScenario } from './without-file.ts';
import { fleetManifest } from '../../app/fleet/fleet-manifest.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { valueAt } from '../../base/is-object.ts';
import { importScenario } from '../../edge/disk/scenario/load-scenario.ts';
import { renderManifest } from '../../report/fleet/render-manifest.ts';
import { keepSecret, shownText, stdout } from '../console/terminal.ts';

type PlanArguments = Given<'prompts'> & Given<'plan'> & { scenario: string | undefined };

export async function planRun({ 'reply-time': replyMs, ...args }: PlanArguments): Promise<void> {
  const settled = await settleScenario(await withScenario(args, { command: 'plan', sendsNothing: true }));
  const view = await viewPlan(settled, { replyMs, preview: args.preview });
  await printDocument(view, args.json ? 'json' : 'terminal');
}

export async function printManifest({
  'target-port': targetPort,
  'scenario-from': scenarioFrom,
  'results-claim': resultsClaim,
  'reply-time': replyMs,
  ...args
}: Given<'manifest'> & { scenario: string }): Promise<void> {
  const { scenario: file } = args;
  const author = await importScenario(file);
  const settled = await settleScenario({ ...args }, withKey(valueAt(author, ['target', 'apiKey'])));
  print(
    renderManifest(
      await fleetManifest(settled, author, {
        ...args,
        file,
        folder: process.cwd(),
        targetPort,
        scenarioFrom,
        resultsClaim,
        replyMs,
      }),
    ),
  );
}

/** Adds a placeholder key, without which a scenario cannot be resolved; a key in the file is redacted in the output. */
function withKey(own: unknown): NodeJS.ProcessEnv {
  const inFile = typeof own === 'string' ? own : '';
  keepSecret(inFile);
  return { ...process.env, CHAT_LOAD_API_KEY: process.env['CHAT_LOAD_API_KEY'] || inFile || 'unused' };
}

/** Prints a manifest unchanged or not at all: redaction would change the scenario. */
function print(manifest: string): void {
  if (shownText(manifest, false) === manifest) {
    stdout.line(manifest);
    return;
  }
  throw new ChatLoadError('usage', {
    message: 'The manifest would contain a key or a control character; nothing was printed.',
    hint: 'Keep keys in the environment (CHAT_LOAD_API_KEY), not in the scenario file or its data; remove control characters from overrides and labels.',
  });
}
