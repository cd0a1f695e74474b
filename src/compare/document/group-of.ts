import { digestOf } from '../../plan/digest.ts';
import { machineClassOf } from './machine-class.ts';
import type { ResultHead } from './result-head.ts';

/** What runs have to share to make one history. */
interface RunGroup {
  scenario: { name: string; hash: string };
  machineClass: string;
  loadHash: string;
}

/**
 * The group of a run. The scenario's hash covers the load already; it is hashed once more beside the target's kind and
 * profile, so that what the group is made of does not hang on what the scenario's hash is made of.
 */
export function groupOf({
  scenario,
  target,
  environment,
}: Pick<ResultHead, 'scenario' | 'target' | 'environment'>): RunGroup {
  const { load, durationMs, sessions, warmUpMs, embedded } = scenario.plan;
  return {
    scenario: { name: scenario.name, hash: scenario.hash },
    machineClass: machineClassOf(environment),
    loadHash: digestOf({ load, durationMs, sessions, warmUpMs, isEmbedded: target.embedded, profile: embedded }),
  };
}
