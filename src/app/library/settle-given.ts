import { z } from 'zod';
import { ChatLoadError } from '../../base/errors.ts';
import { tlsFilesReader } from '../../edge/disk/read-tls-files.ts';
import { readDataFiles } from '../../edge/disk/scenario/load-scenario.ts';
import { settle, type Settled } from '../../plan/settle.ts';
import { unknownName } from '../../base/unknown-name.ts';
import { scenarioOptions } from '../../scenario/scenario-options.ts';
import type { DataLists, Scenario } from '../../scenario/scenario.ts';
import { checkSettled } from '../run/check-settled.ts';
import type { OptionsOf } from './options.ts';

export type OverrideValue = string | number | boolean | readonly string[] | undefined;

/** What overrides a scenario. The environment is not read: pass its values here. Settling looks at the values. */
export const settingShape = {
  /** The service to load, or `embedded`. Present but `undefined` or empty is an error: the embedded service is never chosen by accident. */
  baseUrl: z.string().optional(),
  apiKey: z.string().optional(),
  /** Hosts other than this machine that may be loaded. */
  allowHosts: z.array(z.string()).readonly().optional(),
  seed: z.number().optional(),
  /** What else the command's flags can set, by their names in camelCase: `{ duration: '10s', maxTurns: 500 }`. */
  overrides: z.record(z.string(), z.custom<OverrideValue>()).readonly().optional(),
  /** Where the scenario's data files are, and those of TLS. Default: the working directory. */
  folder: z.string().optional(),
};
export type ScenarioSettings = OptionsOf<typeof settingShape>;

/** Settles a scenario as a command would. Throws a usage error that lists every problem. */
export async function settleGiven<Lists extends DataLists>(
  scenario: Scenario<Lists>,
  settings: ScenarioSettings,
): Promise<Settled> {
  refuseEmptyTarget(settings);
  const { apiKey, folder = '.' } = settings;
  const environment = apiKey === undefined ? {} : { CHAT_LOAD_API_KEY: apiKey };
  const name = 'the scenario';
  const readTlsFiles = tlsFilesReader({ ofScenario: folder, ofCommand: folder });
  const around = { flags: flagsOf(settings), environment, readTlsFiles };
  const settled = settle(await readDataFiles(scenario, folder), around, name);
  checkSettled(settled, name);
  return settled;
}

function refuseEmptyTarget(settings: ScenarioSettings): void {
  if (!('baseUrl' in settings) || (settings.baseUrl ?? '') !== '') return;
  throw new ChatLoadError('usage', {
    message: 'The option baseUrl is given but empty: an unset variable?',
    hint: "Nothing was sent. Leave it out, or set it to 'embedded', for the embedded service.",
  });
}

function flagsOf({ baseUrl, allowHosts, seed, overrides = {} }: ScenarioSettings): Record<string, unknown> {
  const flags: Record<string, unknown> = { 'base-url': baseUrl, 'allow-host': allowHosts, seed };
  const known = new Map(scenarioOptions.flatMap(({ flag }) => (flag === undefined ? [] : [[camelCase(flag), flag]])));
  for (const [name, value] of Object.entries(overrides)) {
    const flag = known.get(name);
    if (flag === undefined)
      throw new ChatLoadError('usage', {
        message: `overrides: ${unknownName('option', name, [...known.keys()])}`,
        hint: 'Nothing was sent. Every flag of chat-load run that overrides the scenario can be given, in camelCase.',
      });
    if (value !== undefined) flags[flag] = value;
  }
  return flags;
}

const camelCase = (flag: string): string => flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
