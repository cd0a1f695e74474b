import { viewPlan } from '../../app/plan-view.ts';
import { printDocument } from '../console/deliver.ts';
import type { Given } from '../parser/options.ts';
import { resolveScenarioFile, withScenario } from './resolve-scenario-file.ts';
import { fleetManifest } from '../../app/fleet/fleet-manifest.ts';
import { usageError } from '../../base/errors.ts';
import { valueAt } from '../../base/is-object.ts';
import { importScenario } from '../../edge/disk/scenario/load-scenario.ts';
import { renderManifest } from '../../report/fleet/render-manifest.ts';
import { keepSecret, shownText, stdout } from '../console/terminal.ts';

type PlanArguments = Given<'prompts'> & Given<'plan'> & { scenario: string | undefined };

export async function planRun({ 'reply-time': replyMs, ...args }: PlanArguments): Promise<void> {
  const resolved = await resolveScenarioFile(await withScenario(args, { command: 'plan', sendsNothing: true }));
  const view = await viewPlan(resolved, { replyMs, preview: args.preview });
  await printDocument(view, args.json ? 'json' : 'terminal');
}

/** Prints a manifest unchanged or not at all: redaction would change the scenario. */
export async function printManifest(args: Given<'manifest'> & { scenario: string }): Promise<void> {
  const author = await importScenario(args.scenario);
  const own = valueAt(author, ['target', 'apiKey']);
  const inFile = typeof own === 'string' ? own : '';
  keepSecret(inFile);
  // A scenario cannot be resolved without a key.
  const key = process.env['CHAT_LOAD_API_KEY'] || inFile || 'unused';
  const resolved = await resolveScenarioFile({ ...args }, { ...process.env, CHAT_LOAD_API_KEY: key });
  const request = { ...args, file: args.scenario, folder: process.cwd() };
  const manifest = renderManifest(await fleetManifest(resolved, author, request));
  if (shownText(manifest, false) === manifest) return stdout.line(manifest);
  throw usageError(
    'The manifest would contain a key or a control character; nothing was printed.',
    'Keep keys in the environment (CHAT_LOAD_API_KEY), not in the scenario file or its data; remove control characters from overrides and labels.',
  );
}
