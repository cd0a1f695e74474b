import type { Result } from '../../../../result/result.ts';
import { resumedText, tokensText } from '../../../run/network-lines.ts';
import { readingText } from '../../../run/reading-lines.ts';
import { countOf, formatBytes, formatCount, formatMs, formatShare } from '../../../words/format.ts';
import { listBlock } from '../shown/blocks.ts';
import type { SectionView } from '../shown/section-view.ts';
import { titleIn } from '../shown/shown-run.ts';

type Rows = [string, string][];

export const environment: SectionView = {
  id: 'environment',
  title: 'Environment and generator',
  lead: 'Where the load came from, and how the generator fared over the whole run.',
  view: (runs) =>
    runs.flatMap((run) => [
      ...listBlock(titleIn(run, 'Machine'), 'what', machine(run.result)),
      ...listBlock(titleIn(run, 'Generator'), 'what', generator(run.result)),
      ...listBlock(titleIn(run, 'Network'), 'what', network(run.result)),
    ]),
};

function machine({ environment: where }: Result): Rows {
  if (where === null) return [];
  const { git } = where;
  return [
    ['host', where.host],
    ['processor', `${where.cpuModel}, ${formatCount(where.cores)} usable cores`],
    ['memory', formatBytes(where.memoryBytes)],
    ['system', `${where.os}, ${where.arch}`],
    ['Node.js', where.nodeVersion],
    ...(where.calibrationMs === null
      ? []
      : [['fixed calculation', formatMs(where.calibrationMs)] satisfies Rows[number]]),
    ...(git === null ? [] : [['commit', commitText(git)] satisfies Rows[number]]),
  ];
}

type Git = NonNullable<NonNullable<Result['environment']>['git']>;
const commitText = ({ commit, branch, dirty }: Git): string =>
  `${commit}${branch === null ? '' : ` on ${branch}`}${dirty ? ', with uncommitted changes' : ''}`;

function generator(result: Result): Rows {
  const { generator: health, concurrency, rates } = result;
  const { traffic } = rates;
  const load: Rows = [
    ['turns in flight', `${formatCount(concurrency.turns.max)} at most`],
    ['live sessions', `${formatCount(concurrency.sessions.max)} at most`],
    ['reading', readingText(result)],
  ];
  const sent: Rows =
    traffic === null
      ? []
      : [
          ['connections opened', formatCount(traffic.connectionsOpened)],
          ['sent', formatBytes(traffic.sentBytes)],
          ['received', formatBytes(traffic.receivedBytes)],
        ];
  return [...load, ...sent, ...(health === null ? [] : healthTexts(health))];
}

function network({ transport }: Result): Rows {
  if (transport === null) return [];
  const { tls, addresses, tokens } = transport;
  const encryption: Rows =
    tls === null
      ? []
      : [
          ['TLS', `${tls.protocol}, ${countOf(tls.handshakes, 'handshake')}, ${resumedText(tls)}`],
          ['certificates', tls.isVerified ? 'verified' : 'NOT VERIFIED (--insecure)'],
          ['issued by', tls.issuer || 'unknown'],
          ['valid until', tls.validTo ?? 'unknown'],
        ];
  const answered = addresses.map(({ address, connections, exchanges }): [string, string] => [
    `address ${address}`,
    `${countOf(connections, 'connection')}, ${countOf(exchanges, 'exchange')}`,
  ]);
  return [...encryption, ...answered, ...(tokens === null ? [] : ([['tokens', tokensText(tokens)]] satisfies Rows))];
}

const healthTexts = (health: NonNullable<Result['generator']>): Rows => [
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
];
