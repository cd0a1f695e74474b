import { coordinate, type CoordinatedOutcome, type FleetJournal } from '../../coordinate.ts';
import { proxyUrl } from '../../base/proxy-server.ts';
import { systemClock } from '../../edge/clock.ts';
import { readScenarioDigest } from '../../edge/disk/scenario/load-scenario.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import type { ShardJob } from '../../fleet/messages.ts';
import { followAttempts } from '../model/follow-attempts.ts';
import { linkModel, type ModelLink } from '../model/link-model.ts';
import { sampleDigest } from '../../plan/session-plan.ts';
import { forRun, noRun } from '../../plan/script.ts';
import { checkShards } from '../../plan/shard.ts';
import type { GeneratorAccount } from '../../result/journal/journal.ts';
import type { Warning } from '../../result/sections/warning.ts';
import type { Worker } from '../../result/sections/environment.ts';
import type { RunOutcome } from '../../run.ts';
import type { RunEffects } from '../../run-context.ts';
import { conductRun } from './conduct-run.ts';
import { openSender } from '../../edge/http/open-sender.ts';
import { openGenerator, senderOptions } from './open-generator.ts';
import type { Fleet, RunUnderWay } from './ports.ts';
import { openLoadSpans, type LoadSpans } from '../spans/open-spans.ts';
import type { OpenTarget } from './with-target.ts';

interface Load extends OpenTarget {
  run: string;
  /** Salt of the integrity guard. */
  salt: string;
  /** Fleet that generates the load; `undefined`: this process. */
  fleet: Fleet | undefined;
}

export interface LoadPorts extends Pick<RunEffects, 'drain' | 'cut' | 'halt' | 'strayFailed'> {
  note: (text: string) => void;
  warn: (warning: Warning) => void;
  /** Called when the load is about to start. `workers`: the processes of a fleet. */
  begin: (accountNow: () => GeneratorAccount, workers: readonly Worker[] | null) => Promise<FleetJournal>;
  watch: (underWay: Pick<RunUnderWay, 'live' | 'totals'>) => void;
}

export interface PlayedLoad extends Pick<CoordinatedOutcome, 'account' | 'samples'> {
  outcome: RunOutcome;
  /** `null` if this process generated the load. */
  workers: readonly Worker[] | null;
}

/** Runs a load with this process or with a fleet; the ports are called in the same way. */
export async function playLoad({ resolved: given, ...rest }: Load, ports: LoadPorts): Promise<PlayedLoad> {
  const { model, run, salt, fleet } = rest;
  const resolved = { ...given, script: forRun(given.script, { id: run, salt }) };
  const load: Load = { ...rest, resolved };
  const link = model && linkModel(model, { resolved, run, shards: fleet?.count ?? 1, warn: ports.warn });
  const begin: LoadPorts['begin'] = async (...given) => {
    const journal = await ports.begin(...given);
    return link === undefined ? journal : link.inStep(journal);
  };
  const linked = { ...ports, begin, link };
  const played = await (fleet === undefined ? playHere(load, linked) : playByFleet(load, fleet, linked));
  return link === undefined ? played : { ...played, outcome: await link.withCalls(played.outcome) };
}

interface LinkedPorts extends LoadPorts {
  link: ModelLink | undefined;
}

async function playHere(
  { resolved, baseUrl, run }: Load,
  { drain, cut, begin, watch, link, ...effects }: LinkedPorts,
): Promise<PlayedLoad> {
  const spans = await openLoadSpans({ resolved, run, baseUrl, note: effects.note });
  const generator = openGenerator(openSender(senderOptions(baseUrl, resolved)), resolved.access);
  let ended: Awaited<ReturnType<typeof generator.end>>;
  let outcome: RunOutcome;
  try {
    outcome = await conductRun(resolved, {
      ...effects,
      ...(link && followed(link, { resolved, run, spans })),
      spans,
      sender: generator.sender,
      probe: generator.probe,
      clock: systemClock,
      stops: { drain, cut },
      journal: await begin(() => generator.accountNow(), null),
      watch: (run) => watch({ live: () => run.live(systemClock.now()), totals: () => run.totals() }),
    });
  } finally {
    ended = await generator.end();
  }
  return { outcome, ...ended, workers: null };
}

/** Reports the attempts of this process to the model service. */
const followed = (
  { started, take, modelStop }: ModelLink,
  { resolved, run, spans }: Pick<Load, 'resolved' | 'run'> & { spans: LoadSpans | undefined },
) => ({
  started,
  modelStop,
  follower: followAttempts(resolved.plan, { run, deliver: take, isSampled: spans?.isSampled }),
});

async function playByFleet(
  load: Load,
  fleet: Fleet,
  { begin, watch, link, ...effects }: LinkedPorts,
): Promise<PlayedLoad> {
  const { plan, proxy } = load.resolved;
  const environment = proxy === undefined ? {} : { CHAT_LOAD_PROXY: proxyUrl(proxy) };
  const shards = await fleet.open(await shardJobs(load, fleet), environment);
  try {
    const { workers, account, samples, ...outcome } = await coordinate(plan, {
      ...effects,
      ...(link && {
        started: link.started,
        onAttempts: link.take,
        onDelivered: link.delivered,
        modelStop: link.modelStop,
      }),
      shards,
      clock: systemClock,
      readyWithinMs: fleet.readyWithinMs,
      ready: (machines, accountNow) => begin(accountNow, machines),
      watch: (recorder) => watch({ live: () => recorder.live(systemClock.now()), totals: () => recorder.totals() }),
    });
    return { outcome, account, samples, workers };
  } finally {
    await shards.close();
  }
}

/** Returns the jobs of a run, one per shard. Throws a usage error if the load cannot be divided into that many. */
export async function shardJobs(
  { resolved: { plan, script }, baseUrl, run, salt }: Pick<Load, 'resolved' | 'baseUrl' | 'run' | 'salt'>,
  { count, scenario, isElsewhere }: Pick<Fleet, 'count' | 'scenario' | 'isElsewhere'>,
): Promise<ShardJob[]> {
  checkShards(plan, count);
  // The workers compare it before they know the run.
  const sample = isElsewhere ? await sampleDigest({ ...script, run: noRun }) : null;
  const scenarioDigest = isElsewhere ? readScenarioDigest(scenario) : null;
  return Array.from({ length: count }, (_, index) => ({
    run,
    salt,
    shard: { index, count },
    scenario,
    scenarioDigest,
    plan,
    sample,
    baseUrl: baseUrl.href,
    toolVersion,
    nodeMajor: Number(process.versions.node.split('.')[0]),
  }));
}
