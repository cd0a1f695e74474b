import type { Result } from '../../result/result.ts';
import type { FeltLoad, ReadingErrors } from '../../result/sections/calibration.ts';
import type { Environment } from '../../result/sections/environment.ts';
import type { Stop } from '../../result/sections/run-facts.ts';
import type { Transport } from '../../result/sections/transport.ts';
import { fact, factsOf, type TextBlock } from '../outline/outline.ts';
import type { Fact } from '../page/page.ts';
import { countOf, formatBytes, formatCount, formatMs, formatNumber, formatShare } from '../../base/format.ts';
import { listTable, perRun } from './shown-run.ts';
import { eventsText } from './stream-texts.ts';
import { shardText } from './worker-section.ts';

/** Load and generator health; pages show the full tables. */
export const loadSection = perRun(
  {
    page: {
      id: 'environment',
      isSecondary: true,
      title: 'Environment and generator',
      lead: 'Machine, resource usage of the generator, and connections, over the whole run.',
    },
  },
  ({ result }) => [
    ...loadLines(result).map((line): TextBlock => ({ ...line, on: ['terminal'] })),
    listTable('Machine', machine(result)),
    listTable('Generator', generator(result)),
    listTable('Network', network(result)),
  ],
);

function loadLines(result: Result): TextBlock[] {
  const { run, concurrency, latency, environment, transport } = result;
  const { turns, sessions } = concurrency;
  const live = `${formatNumber(sessions.mean)} live sessions (max ${formatCount(sessions.max)})`;
  const texts = Object.entries({
    stream: result.stream.replies === 0 ? '' : eventsText(result.stream),
    'in flight': `${formatNumber(turns.mean)} turns on average (max ${formatCount(turns.max)}); ${live}`,
    sockets: socketsText(result),
    tls: transport?.tls ? tlsText(transport.tls) : '',
    addresses: transport === null || transport.addresses.length < 2 ? '' : addressesText(transport.addresses),
    auth: transport?.tokens ? tokensText(transport.tokens) : '',
    generator: generatorText(result),
    shards: shardText(environment),
    accuracy: latency.turn.count === 0 ? '' : readingText(result),
  });
  return [
    ...(run.stop === null ? [] : [fact('stopped', run.stop.reason.replace(/^stopped /, ''), 'yellow')]),
    ...texts.filter(([, text]) => text !== '').map(([name, text]) => fact(name, text)),
  ];
}

/** Describes why a run ended early: `stopped: maxTurns (60) was reached`, `stopped by SIGTERM`. */
export function stopText({ kind, reason }: Stop): string {
  return kind === 'signal' ? reason : `stopped: ${reason}`;
}

type Tls = NonNullable<Transport['tls']>;

function tlsText(tls: Tls): string {
  const by = tls.issuer === '' ? '' : `; certificate by ${tls.issuer}`;
  const until = tls.validTo === null ? '' : `, until ${tls.validTo.slice(0, 10)}`;
  return `${handshakesText(tls)}${by}${until}`;
}

function handshakesText({ protocol, handshakes, resumed }: Tls): string {
  return `${protocol}, ${countOf(handshakes, 'handshake')}, ${formatShare(resumed / Math.max(1, handshakes))} of them resumed`;
}

function tokensText({ fetched, failed, retried }: NonNullable<Transport['tokens']>): string {
  const failures = failed === 0 ? '' : ` (${countOf(failed, 'request')} failed)`;
  return `${countOf(fetched, 'access token')} obtained${failures}, ${countOf(retried, 'attempt')} repeated with a new one`;
}

const maxAddresses = 3;

function addressesText(addresses: Transport['addresses']): string {
  const first = addresses
    .slice(0, maxAddresses)
    .map(({ address, connections }) => `${address} (${countOf(connections, 'connection')})`);
  const rest = addresses.length - first.length;
  return `${formatCount(addresses.length)}: ${first.join(', ')}${rest === 0 ? '' : ` and ${formatCount(rest)} more`}`;
}

/** Formats the health of the generator; event-loop delay only if a turn finished, because it affects nothing else. */
function generatorText({ generator: health, environment, rates: { traffic }, latency }: Result): string {
  if (health === null || traffic === null) return '';
  const busiest = environment?.workers == null ? '' : ' in the busiest shard';
  return [
    `CPU ${formatNumber(health.cpuShare * 100)} % of a core${busiest}`,
    formatBytes(health.rssMaxBytes),
    ...(latency.turn.count === 0 ? [] : [`event loop delay p99 ${formatMs(health.eventLoopDelayP99Ms)}`]),
    countOf(traffic.connectionsOpened, 'connection'),
  ].join(', ');
}

/** Describes the delay with which the generator read replies; '' if it was not measured. */
function readDelayText({ error }: NonNullable<Result['generator']>): string {
  if (error === null) return '';
  const { time, replies } = error;
  const parts = [`p50 ${formatMs(time.p50Ms)}`, `p99 ${formatMs(time.p99Ms)}`, `max ${formatMs(time.maxMs)}`];
  return `${parts.filter((part) => !part.endsWith('-')).join(', ')}, ${countOf(time.count, 'probe')}${replies === null ? '' : `; of replies: mean ${formatMs(replies.meanMs)}, max ${formatMs(replies.maxMs)}`}`;
}

/** Describes the error bounds of this machine's calibration at the load of the run; '' without one. */
export function readingText({
  calibration: reading,
  environment,
}: Pick<Result, 'calibration'> & { environment: Pick<Environment, 'workers'> | null }): string {
  if (environment?.workers || reading === null) return '';
  const { largestErrors, calibratedTo } = reading;
  if (largestErrors === null) return `the load exceeds the calibrated ones (${calibratedTo.map(loadText).join('; ')})`;
  return `error bounds at this load: ${withinText(largestErrors.attempt)} (effective: ${withinText(largestErrors.effective)})`;
}

function loadText({ attemptsPerSecond, turnsInFlight }: FeltLoad): string {
  return `${countOf(attemptsPerSecond, 'attempt')}/s with ${formatCount(turnsInFlight)} turns in flight`;
}

const withinText = ({ p50Ms, p99Ms }: ReadingErrors): string => `p50 ±${formatMs(p50Ms)}, p99 ±${formatMs(p99Ms)}`;

function machine({ environment: where }: Result): Fact[] {
  if (where === null) return [];
  const { git, calibrationMs } = where;
  return factsOf({
    host: where.host,
    processor: `${where.cpuModel}, ${formatCount(where.cores)} usable cores`,
    memory: formatBytes(where.memoryBytes),
    system: `${where.os}, ${where.arch}`,
    'Node.js': where.nodeVersion,
    'CPU reference loop': calibrationMs === null ? null : formatMs(calibrationMs),
    commit: git && commitText(git),
  });
}

type Git = NonNullable<NonNullable<Result['environment']>['git']>;
const commitText = ({ commit, branch, dirty }: Git): string =>
  `${commit}${branch === null ? '' : ` on ${branch}`}${dirty ? ', with uncommitted changes' : ''}`;

/** Describes the sockets of sessions: `38.2 open on average (max 50); 12 reopened; 4 unsolicited frames`; '' without WebSocket. */
function socketsText({ concurrency: { sockets }, outcomes: { reopened, unsolicited } }: Result): string {
  if (sockets === undefined) return '';
  return [
    `${formatNumber(sockets.mean)} open on average (max ${formatCount(sockets.max)})`,
    ...(reopened === 0 ? [] : [`${formatCount(reopened)} reopened`]),
    ...(unsolicited === 0 ? [] : [countOf(unsolicited, 'unsolicited frame')]),
  ].join('; ');
}

function generator(result: Result): Fact[] {
  const { generator: health, concurrency, rates } = result;
  const { traffic } = rates;
  return factsOf({
    'turns in flight': `max ${formatCount(concurrency.turns.max)}`,
    'live sessions': `max ${formatCount(concurrency.sessions.max)}`,
    sockets: socketsText(result) || null,
    calibration: readingText(result) || null,
    'read delay': result.generator === null ? null : readDelayText(result.generator) || null,
    'connections opened': traffic && formatCount(traffic.connectionsOpened),
    sent: traffic && formatBytes(traffic.sentBytes),
    received: traffic && formatBytes(traffic.receivedBytes),
    ...(health && healthTexts(health)),
  });
}

const healthTexts = (health: NonNullable<Result['generator']>) => ({
  'CPU (share of one core)': `${formatShare(health.cpuShare)}; in the busiest two seconds ${formatShare(health.cpuShareMax)}`,
  'event loop busy, in the busiest two seconds': formatShare(health.eventLoopBusyMax),
  'event loop delay': `p50 ${formatMs(health.eventLoopDelayP50Ms)}, p99 ${formatMs(health.eventLoopDelayP99Ms)}, max ${formatMs(health.eventLoopDelayMaxMs)}`,
  'garbage collection': `${formatShare(health.gcPauseShare)} of the time, longest pause ${formatMs(health.gcPauseMaxMs)}`,
  'maximum memory': `${formatBytes(health.rssMaxBytes)}; JavaScript heap ${formatBytes(health.heapMaxBytes)}`,
  'clock step': formatMs(health.clockJumpMs),
  'connections failed: no file descriptor': formatCount(health.descriptorsExhausted),
  'connections failed: no local port': formatCount(health.portsExhausted),
});

function network({ transport }: Result): Fact[] {
  if (transport === null) return [];
  const { tls, addresses, tokens } = transport;
  return [
    ...factsOf({
      TLS: tls && handshakesText(tls),
      certificates: tls && (tls.isVerified ? 'verified' : 'NOT VERIFIED (--insecure)'),
      'issued by': tls && (tls.issuer || 'unknown'),
      'valid until': tls && (tls.validTo ?? 'unknown'),
    }),
    ...addresses.map(({ address, connections, exchanges }) => ({
      name: `address ${address}`,
      text: `${countOf(connections, 'connection')}, ${countOf(exchanges, 'exchange')}`,
    })),
    ...factsOf({ 'access tokens': tokens && tokensText(tokens) }),
  ];
}
