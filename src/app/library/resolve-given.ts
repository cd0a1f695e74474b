import { z } from 'zod';
import { usageError } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import { readShare } from '../../base/format.ts';
import { closedObject } from '../../scenario/closed-object.ts';
import { problemsOf } from '../../scenario/read-scenario.ts';
import { scenarioReaders } from '../../edge/disk/scenario-readers.ts';
import { readDataFiles } from '../../edge/disk/scenario/load-scenario.ts';
import { resolveScenario, type ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { unknownName } from '../../base/unknown-name.ts';
import { scenarioOptions } from '../../scenario/scenario-options.ts';
import type { DataLists } from '../../scenario/scenario-values.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { checkResolved, problemsOfGates } from '../run/check-resolved.ts';
import type { PlanView } from '../../report/plan/plan-document.ts';
import { duration } from '../../scenario/duration.ts';
import { viewPlan } from '../plan-view.ts';

/** Options as a caller writes them; editors show the comments of the shape. */
export type OptionsOf<Shape extends z.ZodRawShape> = z.input<z.ZodObject<Shape>>;

/** An `AbortSignal`, possibly of another realm or library. */
export const abortSignal = z.custom<AbortSignal>(
  (given) =>
    isObject(given) && typeof given['aborted'] === 'boolean' && typeof given['addEventListener'] === 'function',
  'expected an AbortSignal',
);

/** Returns the schema of a function of the caller. */
export function callback<Call>() {
  return z.custom<Call>((given) => typeof given === 'function', 'expected a function');
}

/** A share as a number, or as a percentage: `0.15` or `'15%'`. */
export type Share = number | `${number}%`;

export const share = z.custom<Share>().transform((given, context): number => {
  const read = typeof given === 'number' ? given : typeof given === 'string' ? readShare(given) : undefined;
  if (read !== undefined) return read;
  context.addIssue({ code: 'custom', message: "expected a share such as 0.15 or '15%'" });
  return z.NEVER;
});

/** Reads options. Throws a usage error that lists every unknown option, with the nearest known one, and every option of a wrong type. */
export function readOptions<Shape extends z.ZodRawShape>(
  caller: string,
  given: unknown,
  shape: Shape,
): z.output<z.ZodObject<Shape>> {
  const read = closedObject(shape).safeParse(given);
  if (read.success) return read.data;
  const lines = problemsOf(read.error).map(({ path, message }) => `  ${path === '' ? '' : `${path}: `}${message}`);
  throw usageError(
    `Invalid options of ${caller}:\n${lines.join('\n')}`,
    `Nothing was done. See ${caller} in docs/reference/library.md.`,
  );
}

export type OverrideValue = string | number | boolean | readonly string[] | undefined;

/** Overrides of a scenario. The environment is not read: pass its values here. Values are validated when the scenario is resolved. */
export const settingShape = {
  /** Service to load, or `embedded`. An empty or `undefined` value is an error, so that the embedded service is never selected by accident. */
  baseUrl: z.string().optional(),
  apiKey: z.string().optional(),
  /** Hosts other than this machine that may be loaded. */
  allowHosts: z.array(z.string()).readonly().optional(),
  seed: z.number().optional(),
  /** Other overrides, named like the command's flags in camelCase: `{ duration: '10s', maxTurns: 500 }`. */
  overrides: z.record(z.string(), z.custom<OverrideValue>()).readonly().optional(),
  /** Folder of the scenario's data files and TLS files. Default: the working directory. */
  folder: z.string().optional(),
};
export type ScenarioSettings = OptionsOf<typeof settingShape>;

/** Resolves a scenario as a command does. Throws a usage error that lists every problem. */
export async function resolveGiven<Lists extends DataLists>(
  scenario: Scenario<Lists>,
  settings: ScenarioSettings,
): Promise<ResolvedScenario> {
  refuseEmptyTarget(settings);
  const { apiKey, folder = '.' } = settings;
  const environment = apiKey === undefined ? {} : { CHAT_LOAD_API_KEY: apiKey };
  const name = 'the scenario';
  const readers = scenarioReaders({ ofScenario: folder, ofCommand: folder });
  const around = { flags: flagsOf(settings), environment, problemsOfGates, ...readers };
  const resolved = resolveScenario(await readDataFiles(scenario, folder), around, name);
  checkResolved(resolved, name);
  return resolved;
}

function refuseEmptyTarget(settings: ScenarioSettings): void {
  if (!('baseUrl' in settings) || (settings.baseUrl ?? '') !== '') return;
  throw usageError(
    'The option baseUrl is present but empty. Is a variable unset?',
    "Nothing was sent. To use the embedded service, omit the option or set it to 'embedded'.",
  );
}

function flagsOf({ baseUrl, allowHosts, seed, overrides = {} }: ScenarioSettings): Record<string, unknown> {
  const flags: Record<string, unknown> = { 'base-url': baseUrl, 'allow-host': allowHosts, seed };
  const known = new Map(scenarioOptions.flatMap(({ flag }) => (flag === undefined ? [] : [[camelCase(flag), flag]])));
  for (const [name, value] of Object.entries(overrides)) {
    const flag = known.get(name);
    if (flag === undefined)
      throw usageError(
        `overrides: ${unknownName('option', name, [...known.keys()])}`,
        'Nothing was sent. Overrides are the flags of chat-load run that override the scenario, in camelCase.',
      );
    if (value !== undefined) flags[flag] = value;
  }
  return flags;
}

const camelCase = (flag: string): string => flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const planShape = {
  ...settingShape,
  /** Assumed reply time, such as `'800ms'`. Default: the latency of the embedded service, otherwise 1 s. */
  replyTime: duration.optional(),
  /** Number of sessions to preview with their messages. Default: 2. */
  preview: z.int().min(0).optional(),
};
export type PlanOptions = OptionsOf<typeof planShape>;

/** Describes what a run of a scenario would do, without sending anything. Rejects with a usage error as `runScenario` does. */
export async function planScenario<Lists extends DataLists>(
  scenario: Scenario<Lists>,
  options: PlanOptions = {},
): Promise<PlanView> {
  const { replyTime: replyMs, preview, ...settings } = readOptions('planScenario', options, planShape);
  return viewPlan(await resolveGiven(scenario, settings), { replyMs, preview });
}
