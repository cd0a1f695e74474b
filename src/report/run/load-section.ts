import type { Result } from '../../result/result.ts';
import type { FeltLoad, ReadingErrors, ReadingAccuracy } from '../../result/sections/calibration.ts';
import type { Environment } from '../../result/sections/environment.ts';
import type { Stop } from '../../result/sections/run-facts.ts';
import type { Transport } from '../../result/sections/transport.ts';
import { fact, factsOf, type TextBlock } from '../outline/outline.ts';
import type { Fact } from '../page/page.ts';
import { countOf, formatBytes, formatCount, formatMs, formatNumber, formatShare } from '../../base/format.ts';
import { listTable, type RunSection } from './shown-run.ts';
import { shardText } from './worker-section.ts';

/** How the load was sent and how the generator fared; on a page in full. */
export const loadSection: RunSection = (runs) => ({
  page: {
    id: 'environment',
    title: 'Environment and generator',
    lead: 'Where the load came from, and how the generator fared over the whole run.',
  },
  blocks: runs.flatMap((run) => [
    ...loadLines(run.result).map((line): TextBlock => ({ ...line, on: ['terminal'] })),
    listTable(run, 'Machine', machine(run.result)),
    listTable(run, 'Generator', generator(run.result)),
    listTable(run, 'Network', network(run.result)),
  ]),
});

function loadLines(result: Result): TextBlock[] {
  const { run, concurrency, latency, environment, spending, transport } = result;
  const { turns, sessions } = concurrency;
  const texts: readonly (readonly [name: string, text: string])[] = [
    ['cost', costText(spending)],
    ['stream', streamText(result)],
    [
      'in flight',
      `${formatNumber(turns.mean)} turns on average, at most ${formatCount(turns.max)}; ${formatNumber(sessions.mean)} sessions live, at most ${formatCount(sessions.max)}`,
    ],
    ['tls', transport?.tls ? tlsText(transport.tls) : ''],
    ['addresses', transport === null || transport.addresses.length < 2 ? '' : addressesText(transport.addresses)],
    ['tokens', transport?.tokens ? tokensText(transport.tokens) : ''],
    ['generator', generatorText(result)],
    ['shards', shardText(environment)],
    ['reading', latency.turn.count === 0 ? '' : readingText(result)],
  ];
  return [
    ...(run.stop === null ? [] : [fact('stopped', run.stop.reason.replace(/^stopped /, ''), 'yellow')]),
    ...texts.filter(([, text]) => text !== '').map(([name, text]) => fact(name, text)),
  ];
}

/** Why a run ended before its end, in a sentence: `stopped: maxTurns (60) was reached`, `stopped by SIGTERM`. */
export function stopWords({ kind, reason }: Stop): string {
  return kind === 'signal' ? reason : `stopped: ${reason}`;
}

/** What replies cost; '' where the scenario does not say. */
function costText(spending: Result['spending']): string {
  if (spending.cost === null) return '';
  const cost = spending.cost.toLocaleString('en-US', { maximumFractionDigits: 6 });
  return `${cost} for ${formatCount(spending.turns)} messages, by the scenario’s function`;
}

/** What came in pieces, and the tokens that replies told of: `12,345 content events in 1,000 replies, 3 % in shared reads; 512 output tokens/s`. */
export function streamText({ stream, books }: Pick<Result, 'stream' | 'books'>): string {
  const { outputTokensPerSecond, reportedUsage } = stream;
  const ok = books.turns.ok - books.warmUp.turns.ok;
  const told = reportedUsage < ok ? ` (told by ${formatNumber(reportedUsage)} of ${countOf(ok, 'ok turn')})` : '';
  const parts = [
    ...(stream.replies === 0 ? [] : [eventsText(stream)]),
    ...(outputTokensPerSecond === null ? [] : [`${formatNumber(outputTokensPerSecond)} output tokens/s${told}`]),
  ];
  return parts.join('; ');
}

function eventsText({
  contentEvents,
  replies,
  sharedReads,
  missingDone,
  retriesAfterContent,
}: Result['stream']): string {
  return [
    `${countOf(contentEvents, 'content event')} in ${countOf(replies, 'reply', 'replies')}`,
    ...(sharedReads === null ? [] : [`${formatShare(sharedReads)} in shared reads`]),
    ...(missingDone === 0 ? [] : [`${countOf(missingDone, 'reply', 'replies')} without the final mark`]),
    ...(retriesAfterContent === 0 ? [] : [`${countOf(retriesAfterContent, 'retry', 'retries')} after content`]),
  ].join(', ');
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

/** What became of tokens that end. */
function tokensText({ fetched, failed, retried }: NonNullable<Transport['tokens']>): string {
  const failures = failed === 0 ? '' : `, ${countOf(failed, 'failure')} to obtain one`;
  return `${formatCount(fetched)} obtained${failures}, ${countOf(retried, 'attempt')} made again with a new one`;
}

/** More of them are only counted. */
const maxAddresses = 3;

function addressesText(addresses: Transport['addresses']): string {
  const first = addresses
    .slice(0, maxAddresses)
    .map(({ address, connections }) => `${address} (${countOf(connections, 'connection')})`);
  const rest = addresses.length - first.length;
  return `${formatCount(addresses.length)}: ${first.join(', ')}${rest === 0 ? '' : ` and ${formatCount(rest)} more`}`;
}

/** How late the event loop was matters to what was timed: nothing, where no turn finished. */
function generatorText({ generator: health, environment, rates: { traffic }, latency }: Result): string {
  if (health === null || traffic === null) return '';
  const ofShard = environment?.workers == null ? '' : ' in the busiest shard';
  return [
    `${formatNumber(health.cpuShare * 100)} % of a core${ofShard}`,
    formatBytes(health.rssMaxBytes),
    ...(latency.turn.count === 0 ? [] : [`event loop p99 ${formatMs(health.eventLoopDelayP99Ms)}`]),
    countOf(traffic.connectionsOpened, 'connection'),
  ].join(', ');
}

/** How well this generator reads percentiles at the load of the run. */
export function readingText({
  calibration: reading,
  environment,
}: {
  calibration: ReadingAccuracy | null;
  environment: Pick<Environment, 'workers'> | null;
}): string {
  if (environment?.workers) return 'not stated for a run of several shards';
  if (reading === null) return 'not calibrated: chat-load calibrate';
  const { largestErrors, calibratedTo } = reading;
  if (largestErrors === null) return `unknown: beyond the calibrated loads (${calibratedTo.map(loadText).join('; ')})`;
  return `at this load this generator reads ${withinText(largestErrors.attempt)} (effective: ${withinText(largestErrors.effective)})`;
}

/** What a generator carries, or a run was. */
function loadText({ attemptsPerSecond, turnsInFlight }: FeltLoad): string {
  return `${countOf(attemptsPerSecond, 'attempt')}/s with ${formatCount(turnsInFlight)} turns in flight`;
}

const withinText = ({ p50Ms, p99Ms }: ReadingErrors): string =>
  `p50 within ${formatMs(p50Ms)} and p99 within ${formatMs(p99Ms)}`;

function machine({ environment: where }: Result): Fact[] {
  if (where === null) return [];
  const { git, calibrationMs } = where;
  return factsOf(
    ['host', where.host],
    ['processor', `${where.cpuModel}, ${formatCount(where.cores)} usable cores`],
    ['memory', formatBytes(where.memoryBytes)],
    ['system', `${where.os}, ${where.arch}`],
    ['Node.js', where.nodeVersion],
    ['fixed calculation', calibrationMs === null ? null : formatMs(calibrationMs)],
    ['commit', git && commitText(git)],
  );
}

type Git = NonNullable<NonNullable<Result['environment']>['git']>;
const commitText = ({ commit, branch, dirty }: Git): string =>
  `${commit}${branch === null ? '' : ` on ${branch}`}${dirty ? ', with uncommitted changes' : ''}`;

function generator(result: Result): Fact[] {
  const { generator: health, concurrency, rates } = result;
  const { traffic } = rates;
  return [
    ...factsOf(
      ['turns in flight', `${formatCount(concurrency.turns.max)} at most`],
      ['live sessions', `${formatCount(concurrency.sessions.max)} at most`],
      ['reading', readingText(result)],
    ),
    ...factsOf(
      ['connections opened', traffic && formatCount(traffic.connectionsOpened)],
      ['sent', traffic && formatBytes(traffic.sentBytes)],
      ['received', traffic && formatBytes(traffic.receivedBytes)],
    ),
    ...(health === null ? [] : healthFacts(health)),
  ];
}

const healthFacts = (health: NonNullable<Result['generator']>): Fact[] =>
  factsOf(
    [
      'processor, of one core',
      `${formatShare(health.cpuShare)}; in its busiest two seconds ${formatShare(health.cpuShareMax)}`,
    ],
    ['event loop busy, in its busiest two seconds', formatShare(health.eventLoopBusyMax)],
    [
      'event loop delay',
      `p50 ${formatMs(health.eventLoopDelayP50Ms)}, p99 ${formatMs(health.eventLoopDelayP99Ms)}, greatest ${formatMs(health.eventLoopDelayMaxMs)}`,
    ],
    [
      'garbage collection',
      `${formatShare(health.gcPauseShare)} of the time, longest pause ${formatMs(health.gcPauseMaxMs)}`,
    ],
    ['most memory', `${formatBytes(health.rssMaxBytes)}; JavaScript heap ${formatBytes(health.heapMaxBytes)}`],
    ['clock step', formatMs(health.clockJumpMs)],
    ['connections without a file descriptor', formatCount(health.descriptorsExhausted)],
    ['connections without a local port', formatCount(health.portsExhausted)],
  );

function network({ transport }: Result): Fact[] {
  if (transport === null) return [];
  const { tls, addresses, tokens } = transport;
  return [
    ...factsOf(
      ['TLS', tls && handshakesText(tls)],
      ['certificates', tls && (tls.isVerified ? 'verified' : 'NOT VERIFIED (--insecure)')],
      ['issued by', tls && (tls.issuer || 'unknown')],
      ['valid until', tls && (tls.validTo ?? 'unknown')],
    ),
    ...addresses.map(({ address, connections, exchanges }) => ({
      name: `address ${address}`,
      text: `${countOf(connections, 'connection')}, ${countOf(exchanges, 'exchange')}`,
    })),
    ...factsOf(['tokens', tokens && tokensText(tokens)]),
  ];
}
