import type { ChatLoadError } from '../../base/errors.ts';
import type { Beat, StepOrder } from '../../capacity/player.ts';
import { buildCapacity } from '../../capacity/publish/build-capacity.ts';
import type { Capacity } from '../../capacity/document/capacity.ts';
import type { Step } from '../../capacity/document/step.ts';
import { searchCapacity } from '../../capacity/search/search-capacity.ts';
import { machineClassOf } from '../../compare/document/group-of.ts';
import { describeEnvironment } from '../../edge/health/describe-environment.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import type { Settled } from '../../plan/settle.ts';
import type { StopWithInstant } from '../../schedule/stop/stop-controller.ts';
import { checkHost } from '../run/check-settled.ts';
import type { Fleet, Stops } from '../run/ports.ts';
import { withPlayer } from './capacity-player.ts';
import type { SettledSearch } from './settle-search.ts';

/** Who follows a search. */
export interface CapacityPorts {
  stops: Pick<Stops, 'drain' | 'cut'>;
  strayFailed?: Promise<ChatLoadError> | undefined;
  /** Plays the steps; none: this process does. */
  fleet?: Fleet | undefined;
  note: (text: string) => void;
  /** Is called about four times a second while a step is under way. */
  onBeat?: (order: StepOrder, beat: Beat) => void;
  onStep?: (step: Step) => void;
}

export interface PerformedCapacity {
  document: Capacity;
  /** What ended the search, where it was neither its answer nor its bounds; `undefined` for a signal too. */
  stop: StopWithInstant | undefined;
}

/**
 * Searches the capacity of a scenario's target. Rejects where nothing could be sent, and for a bug of ours, whatever was seen.
 * An error of the scenario does not, not in the first step either: as that of a run, it is in what is written.
 */
export async function performCapacity(
  settled: Settled,
  { settings }: SettledSearch,
  { label, ...ports }: CapacityPorts & { label: string | null },
): Promise<PerformedCapacity> {
  checkHost(settled);
  const startedAt = new Date().toISOString();
  const environment = await describeEnvironment();
  const { objectives, maxCost } = settings;
  const playing = { ...ports, objectives, maxCost, seen: ports.onBeat };
  const { search, stop } = await withPlayer(settled, playing, async (player) => ({
    search: await searchCapacity(settings, player, ports.onStep),
    stop: player.stop,
  }));
  // What a bug has counted says nothing.
  if (stop?.kind === 'bug') throw stop.error;
  const machine = `${machineClassOf(environment)}${ports.fleet === undefined ? '' : `, ${String(ports.fleet.count)} shards`}`;
  const around = { plan: settled.plan, settings, toolVersion, label, machine, startedAt, warnings: [] };
  return { document: settled.secrets.redactDocument(buildCapacity(search, around)), stop };
}
