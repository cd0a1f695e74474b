import { digestOf } from '../../plan/digest.ts';
import { machineClassOf } from './machine-class.ts';
import type { ResultHead } from './result-head.ts';

/** What runs must have in common to belong to one history. */
interface RunGroup {
  scenario: { name: string; hash: string };
  machineClass: string;
  loadHash: string;
}

/**
 * The group of a run. The scenario's hash covers the load already; it is hashed once more beside the target's kind and
 * profile, so that the group does not depend on the composition of the scenario's hash.
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
    loadHash: digestOf({ load, durationMs, sessions, warmUpMs, ...howSpoken(target), profile: embedded }),
  };
}

/** Runs in the way that was once the only one stay in the groups that they were in. */
const howSpoken = ({ embedded, protocol, stream }: ResultHead['target']) => ({
  isEmbedded: embedded,
  protocol: protocol === 'chat-messaging' ? undefined : protocol,
  stream: stream || undefined,
});
