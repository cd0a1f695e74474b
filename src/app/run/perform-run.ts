import { randomUUID } from 'node:crypto';
import type { ChatLoadError } from '../../base/errors.ts';
import { documentRedactor, redactorOf, redactTexts } from '../../base/redact.ts';
import { messagesPath } from '../../wire/api.ts';
import { systemClock } from '../../edge/clock.ts';
import { readCalibration } from '../../edge/disk/calibration-file.ts';
import { describeEnvironment } from '../../edge/health/describe-environment.ts';
import { watchGenerator } from '../../edge/health/watch-generator.ts';
import { watchIntervals } from '../../edge/health/watch-intervals.ts';
import type { JournalWriter } from '../../edge/disk/write-journal.ts';
import { probeConnection } from '../../edge/http/probe-connection.ts';
import { openSender, type Sender, type SenderOptions } from '../../edge/http/sender.ts';
import { startEmbedded } from '../../edge/target/embedded.ts';
import type { Settled } from '../../plan/settle.ts';
import type { Live } from '../../record/live.ts';
import { buildResult } from '../../result/build-result.ts';
import type { JournalHeader } from '../../result/journal/journal.ts';
import type { Traffic } from '../../result/sections/rates.ts';
import type { Result } from '../../result/result.ts';
import type { RunFacts } from '../../result/sections/run-facts.ts';
import { publishStop } from '../../result/sections/stop.ts';
import type { Warning } from '../../result/sections/warning.ts';
import { run, type RunOutcome } from '../../run.ts';
import { calibrationKey } from './calibration-key.ts';
import { checkHost } from './check-host.ts';
import { checkSockets } from './check-sockets.ts';
import { keepJournal } from './keep-journal.ts';
import type { Stops } from './ports.ts';
import { toolVersion } from '../../edge/tool-version.ts';

export interface Performance extends Pick<RunFacts, 'label' | 'sitting' | 'pair'> {
  stops: Stops;
  /** Is told what should be known before the start. */
  note?: (text: string) => void;
  /** Shows how the run goes, until the returned function is called. */
  show: (live: () => Live) => () => void;
  /** Opens the journal of the run, with its header in it. */
  openJournal: (header: JournalHeader) => Promise<JournalWriter>;
  /** Resolves when code of the scenario has failed that no session waits for; else never. */
  strayFailed: Promise<ChatLoadError>;
}

export interface Performed {
  result: Result;
  stop: RunOutcome['stop'];
}

/** Performs a run against its target, which is started first where it is the embedded one. */
export async function performRun(settled: Settled, performance: Performance): Promise<Performed> {
  checkHost(settled);
  const warnings = await checkSockets(settled);
  for (const warning of warnings) performance.note?.(wordWarning(warning));
  const embedded = settled.embedded === undefined ? undefined : await startEmbedded(settled.embedded);
  try {
    const { baseUrl } = embedded ?? settled.plan.target;
    return await performAgainst(new URL(baseUrl ?? ''), settled, { ...performance, warnings });
  } finally {
    await embedded?.close();
  }
}

async function performAgainst(
  baseUrl: URL,
  settled: Settled,
  {
    label,
    sitting,
    pair,
    stops,
    note,
    show,
    openJournal,
    strayFailed,
    warnings,
  }: Performance & { warnings: readonly Warning[] },
): Promise<Performed> {
  const { plan, script, apiKey } = settled;
  const options = senderOptions(baseUrl, settled);
  await probeConnection(options);
  const environment = await describeEnvironment();
  const calibration = await readCalibration(calibrationKey(environment));
  const redact = documentRedactor(apiKey);
  const startedAt = new Date();
  const known = {
    id: randomUUID(),
    label: redact(label),
    sitting,
    pair,
    startedAt: startedAt.toISOString(),
    toolVersion,
  };
  const writer = await openJournal({
    kind: 'chat-load/journal',
    schemaVersion: 1,
    run: known,
    plan: redact(plan),
    environment,
    calibration,
    warnings: [...warnings],
  });
  const sender = openSender(options);
  const [watch, sampling] = [watchGenerator(), watchIntervals()];
  const journal = keepJournal(writer, {
    run: known.id,
    accountNow: () => ({
      generator: watch.soFar(sender.exhausted),
      samples: sampling.fresh(),
      traffic: trafficOf(sender),
    }),
  });
  let stopShowing = (): void => undefined;
  const outcome = await run(plan, script, {
    send: sender.send,
    abortExchanges: () => sender.cut(),
    clock: systemClock,
    drain: stops.drain,
    cut: stops.cut,
    redact: redactorOf(apiKey),
    warn: (warning) => note?.(wordWarning(warning)),
    watch: (recorder) => (stopShowing = show(() => recorder.live(systemClock.now()))),
    journal,
    strayFailed,
  });
  stopShowing();
  const generator = watch.end(sender.exhausted);
  const generatorSamples = sampling.end();
  await sender.close();
  const traffic = trafficOf(sender);
  await journal.end(outcome.elapsedMs, { generator, samples: sampling.fresh(), traffic });
  const facts: RunFacts = {
    ...known,
    endedAt: new Date(startedAt.getTime() + outcome.elapsedMs).toISOString(),
    status: statusOf(outcome.stop),
    stop: redactTexts(publishStop(outcome.stop), redactorOf(apiKey)),
  };
  const result = buildResult({
    plan: redact(plan),
    snapshot: outcome.snapshot,
    run: facts,
    environment,
    calibration,
    generator,
    generatorSamples,
    traffic,
    warnings: [...warnings, ...outcome.warnings],
  });
  return { result, stop: outcome.stop };
}

const wordWarning = ({ message, remedy }: Warning): string => `warning: ${message} ${remedy ?? ''}`;

/** How a settled scenario is sent to a service. */
export function senderOptions(baseUrl: URL, { plan, apiKey }: Pick<Settled, 'plan' | 'apiKey'>): SenderOptions {
  return {
    baseUrl,
    apiKey,
    paths: { create: plan.target.createSession.path, message: messagesPath },
    toolVersion,
    timeoutMs: plan.timeoutMs,
    connectTimeoutMs: plan.connectTimeoutMs,
    idleConnectionMs: plan.idleConnectionMs,
    maxHeadBytes: plan.maxHeadBytes,
    maxBodyBytes: plan.maxBodyBytes,
    clock: systemClock,
    localAddresses: plan.target.localAddresses,
  };
}

const trafficOf = ({ traffic, connections }: Sender): Traffic => ({
  sentBytes: traffic.bytesSent,
  receivedBytes: traffic.bytesReceived,
  connectionsOpened: connections.opened,
});

function statusOf(stop: RunOutcome['stop']): RunFacts['status'] {
  if (stop === undefined) return 'completed';
  return stop.kind === 'signal' ? 'interrupted' : 'stopped';
}
