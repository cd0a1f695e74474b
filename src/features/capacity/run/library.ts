import { z } from 'zod';
import type { Capacity } from '../document/capacity.ts';
import { loadUnits, type Step } from '../document/step.ts';
import { capacityFileName } from '../publish/file-name.ts';
import { prepareFolder } from '../../../edge/disk/write-result.ts';
import { duration } from '../../../scenario/duration.ts';
import type { DataLists } from '../../../scenario/scenario-values.ts';
import type { Scenario } from '../../../scenario/scenario.ts';
import { performCapacity } from './perform-capacity.ts';
import { resolveSearch } from './resolve-search.ts';
import { requirePlaced, placeResult } from '../../../app/run/record-run.ts';
import {
  abortSignal,
  callback,
  readOptions,
  type OptionsOf,
  resolveGiven,
  settingShape,
  share,
} from '../../../app/library/resolve-given.ts';

const searchShape = {
  ...settingShape,
  /** Conditions to meet: `['turn.p95 < 2s', 'turns.failedShare < 1%']`. Default: the gates of the scenario. */
  objectives: z.array(z.string()).readonly().optional(),
  /** Load to vary: concurrent sessions, or new sessions per second. Default: the load of the scenario. */
  by: z.enum(loadUnits).optional(),
  /** Minimum load. Default: 1, or 1 % of the rate that keeps one session live. */
  min: z.number().optional(),
  /** Maximum load. Default: at least 1000 times the minimum, limited by the available sockets. */
  max: z.number().optional(),
  /** Maximum distance between the highest passing and the lowest failing load, as a share of the former: `0.15` or `'15%'`. Default: 15%. */
  tolerance: share.optional(),
  /** Maximum duration of one step, at least 1 s. Default: `'5m'`. */
  maxStep: duration.refine((length) => length >= 1000, 'must be at least 1s').optional(),
  /** Recovery pause after an overloaded step. Default: `'2s'`. */
  pause: duration.optional(),
  /** Name of the search in its document. */
  label: z.string().optional(),
  /** Stops the search when aborted: no more load is sent, and it resolves with partial results. */
  signal: abortSignal.optional(),
  /** Called with each step when it ends. If it throws, the search rejects with that error. */
  onStep: callback<(step: Step) => void>().optional(),
  /** Folder for the document. Default: no file is written. */
  out: z.string().optional(),
};
export type CapacityOptions = OptionsOf<typeof searchShape>;

/** Implements `searchCapacity` of the library. */
export async function searchCapacity<Lists extends DataLists>(
  scenario: Scenario<Lists>,
  options: CapacityOptions = {},
): Promise<Capacity> {
  const read = readOptions('searchCapacity', options, searchShape);
  const { objectives = [], by, min, max, tolerance, maxStep: maxStepMs, pause: restMs, ...others } = read;
  const { label = null, signal, onStep, out, ...settings } = others;
  const resolved = await resolveGiven(scenario, settings);
  const search = await resolveSearch(resolved, { objectives, by, min, max, tolerance, maxStepMs, restMs });
  if (out !== undefined) await prepareFolder(out);
  const never = new AbortController().signal;
  const { document, stop } = await performCapacity(resolved, search, {
    label,
    stops: { drain: signal ?? never, cut: never },
    note: () => undefined,
    ...(onStep && { onStep }),
  });
  const name = capacityFileName(document);
  if (out !== undefined) requirePlaced(await placeResult(document, { folder: out, name }), 'document');
  if (stop?.kind === 'scenario_error') throw stop.error;
  return document;
}
