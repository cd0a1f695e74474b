import { z } from 'zod';
import type { Capacity } from '../../capacity/document/capacity.ts';
import { loadUnits, type Step } from '../../capacity/document/step.ts';
import { prepareFolder } from '../../edge/disk/write-result.ts';
import { capacityFileName } from '../../result/file-name.ts';
import { duration } from '../../scenario/duration.ts';
import type { DataLists } from '../../scenario/scenario-values.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { performCapacity } from '../capacity/perform-capacity.ts';
import { settleSearch } from '../capacity/settle-search.ts';
import { placeResult, requirePlaced } from '../run/record-run.ts';
import {
  abortSignal,
  callback,
  readOptions,
  share,
  type OptionsOf,
  settleGiven,
  settingShape,
} from './settle-given.ts';

const searchShape = {
  ...settingShape,
  /** What has to hold: `['turn.p95 < 2s', 'turns.failedShare < 1%']`. Default: the gates of the scenario. */
  objectives: z.array(z.string()).readonly().optional(),
  /** What is raised: sessions at a time, or sessions a second. Default: as the load of the scenario is given. */
  by: z.enum(loadUnits).optional(),
  /** The lowest load. Default: 1, or the rate at which one session is live. */
  min: z.number().optional(),
  /** The highest load that may be tried. Default: 1000 times the lowest, as far as there are sockets. */
  max: z.number().optional(),
  /** How far apart the ends of the answer may be, as a share of the lower one: `0.15` or `'15%'`. Default: 15%. */
  tolerance: share.optional(),
  /** The longest that one load is looked at, from a second on. Default: `'5m'`. */
  maxStep: duration.refine((length) => length >= 1000, 'must be at least 1s').optional(),
  /** The rest behind a load that was too much. Default: `'2s'`. */
  pause: duration.optional(),
  /** What the search is called in its document. */
  label: z.string().optional(),
  /** Once aborted, nothing more is sent, and the search resolves with what is known. */
  signal: abortSignal.optional(),
  /** Is given each step as it ends. What it throws rejects. */
  onStep: callback<(step: Step) => void>().optional(),
  /** The folder to write the document to. Default: no file is written. */
  out: z.string().optional(),
};
export type CapacityOptions = OptionsOf<typeof searchShape>;

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
  const read = readOptions('searchCapacity', options, searchShape);
  const { objectives = [], by, min, max, tolerance, maxStep: maxStepMs, pause: restMs, ...others } = read;
  const { label = null, signal, onStep, out, ...settings } = others;
  const settled = await settleGiven(scenario, settings);
  const search = await settleSearch(settled, { objectives, by, min, max, tolerance, maxStepMs, restMs });
  if (out !== undefined) await prepareFolder(out);
  const never = new AbortController().signal;
  const { document, stop } = await performCapacity(settled, search, {
    label,
    stops: { drain: signal ?? never, cut: never },
    note: () => undefined,
    ...(onStep && { onStep }),
  });
  const name = capacityFileName({ ...document, scenario: document.scenario.name });
  if (out !== undefined) requirePlaced(await placeResult(document, { folder: out, name }), 'document');
  if (stop?.kind === 'scenario_error') throw stop.error;
  return document;
}
