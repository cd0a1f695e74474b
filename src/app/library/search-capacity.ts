import { z } from 'zod';
import { ChatLoadError } from '../../base/errors.ts';
import { ms } from '../../base/time.ts';
import type { Capacity } from '../../capacity/document/capacity.ts';
import { loadUnits, type LoadUnit } from '../../capacity/document/step.ts';
import type { Step } from '../../capacity/document/step.ts';
import { prepareFolder } from '../../edge/disk/write-result.ts';
import { capacityFileName } from '../../result/file-name.ts';
import type { DataLists, Scenario } from '../../scenario/scenario.ts';
import { performCapacity } from '../capacity/perform-capacity.ts';
import { settleSearch } from '../capacity/settle-search.ts';
import { placeResult } from '../run/place-result.ts';
import { abortSignal, aFunction, checkOptions, settingShape } from './check-options.ts';
import { settleGiven, type ScenarioSettings } from './settle-given.ts';

export interface CapacityOptions extends ScenarioSettings {
  /** What has to hold: `['turn.p95 < 2s', 'turns.failedShare < 1%']`. Default: the gates of the scenario. */
  objectives?: readonly string[] | undefined;
  /** What is raised: sessions at a time, or sessions a second. Default: as the load of the scenario is given. */
  by?: LoadUnit | undefined;
  /** The lowest load. Default: 1, or the rate at which one session is live. */
  least?: number | undefined;
  /** The highest load that may be tried. Default: 1000 times the lowest, as far as there are sockets. */
  most?: number | undefined;
  /** How far apart the ends of the answer may be, as a share of the lower one. Default: 0.1. */
  width?: number | undefined;
  /** The longest that one load is looked at, in milliseconds. Default: five minutes. */
  maxStepMs?: number | undefined;
  /** The rest behind a load that was too much, in milliseconds. Default: two seconds. */
  pauseMs?: number | undefined;
  /** What the search is called in its document. */
  label?: string | undefined;
  /** Once aborted, nothing more is sent, and the search resolves with what is known. */
  signal?: AbortSignal | undefined;
  /** Is given each step as it ends. What it throws rejects. */
  onStep?: ((step: Step) => void) | undefined;
  /** The folder to write the document to. Default: no file is written. */
  out?: string | undefined;
}

const searchShape = {
  ...settingShape,
  objectives: z.array(z.string()).optional(),
  by: z.enum(loadUnits).optional(),
  least: z.number().optional(),
  most: z.number().optional(),
  width: z.number().optional(),
  maxStepMs: z.number().min(1000).optional(),
  pauseMs: z.number().min(0).optional(),
  label: z.string().optional(),
  signal: abortSignal.optional(),
  onStep: aFunction.optional(),
  out: z.string().optional(),
} satisfies Record<keyof CapacityOptions, z.ZodType>;

/**
 * Searches the most load under which the objectives hold, in this process, and resolves with what was found, whatever it
 * is: `outcome` says. Rejects with `ChatLoadError`: usage for a scenario or an option that is wrong, or a function of the
 * scenario that threw; environment for a target that cannot be reached, or a document that cannot be written where it
 * should be.
 */
export async function searchCapacity<Lists extends DataLists>(
  scenario: Scenario<Lists>,
  options: CapacityOptions = {},
): Promise<Capacity> {
  checkOptions('searchCapacity', options, searchShape);
  const { objectives = [], by, least, most, width, maxStepMs, pauseMs, label = null, signal, onStep, out } = options;
  const settled = await settleGiven(scenario, options);
  const search = await settleSearch(settled, {
    objectives,
    by,
    least,
    most,
    width,
    maxStepMs: maxStepMs === undefined ? undefined : ms(maxStepMs),
    restMs: pauseMs === undefined ? undefined : ms(pauseMs),
  });
  if (out !== undefined) await prepareFolder(out);
  const never = new AbortController().signal;
  const { document, stop } = await performCapacity(settled, search, {
    label,
    stops: { drain: signal ?? never, cut: never },
    note: () => undefined,
    ...(onStep && { onStep }),
  });
  if (out !== undefined) await write(document, out);
  if (stop?.kind === 'scenario_error') throw stop.error;
  return document;
}

async function write(document: Capacity, folder: string): Promise<void> {
  const name = capacityFileName({ ...document, scenario: document.scenario.name });
  const { misplaced, path } = await placeResult(document, { folder, name });
  if (misplaced === undefined) return;
  const hint = `The document was written elsewhere: ${path}`;
  throw new ChatLoadError(misplaced.code, { message: misplaced.message, hint, cause: misplaced });
}
