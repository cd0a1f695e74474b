import { measureAcceptance } from './acceptance/measure-acceptance.ts';
import { measureBreadth } from './breadth.ts';
import { judgeBudget } from './budget.ts';
import { measureCapacity } from './capacity/measure-capacity.ts';
import type { Chapter } from './chapter.ts';
import { measureComparison } from './comparison/measure-comparison.ts';
import { measureReading } from './comparison/reading.ts';
import { compareReleases } from './comparison/releases.ts';
import { measureExporterCost } from './exporter-cost.ts';
import { fleetConditions, measureFleet } from './fleet/measure-fleet.ts';
import { holds, type Finding } from './finding.ts';
import { measureGateways } from './gateways/measure-gateways.ts';
import { chatLoad, peers, type Generator } from './generators.ts';
import { measureGuardCost } from './guard-cost.ts';
import { measureLiveCost } from './live-cost.ts';
import { findingsTable, speedTable, truthTable } from './markdown.ts';
import { chapterOf } from './measure-some.ts';
import type { Load } from './measure.ts';
import { measureModel } from './model/measure-model.ts';
import { measureTimes } from './model/times-under-load.ts';
import { measurePages } from './pages.ts';
import { measureAgreement } from './calibration-agreement.ts';
import { measureRedaction } from './redaction.ts';
import { measureSoak } from './soak.ts';
import { compareSpeed, type SpeedRow } from './speed.ts';
import { measureStreams } from './streams/measure-streams.ts';
import type { StreamBench } from './streams/stream-bench.ts';
import { measureTraceCost } from './trace-cost.ts';
import { measureOrdinary } from './ordinary/main.ts';
import { runTruth } from './truth/experiments.ts';
import { measureWebSocket } from './websocket/measure-websocket.ts';
import { plainTarget, type TargetShape } from './with-target.ts';

/** Options of all parts. */
interface Bench {
  load: Load;
  rounds: number;
  /** Names of the peers; undefined for all. */
  peers: readonly string[] | undefined;
  /** Options of the parts about streams. */
  streams: Pick<StreamBench, 'scale' | 'before'> & { only: readonly string[] | undefined };
  /** Folder for results. */
  folder: string;
  report: (text: string) => void;
}

/** Parts of the bench, in the order of the report. */
export const parts: Readonly<Record<string, (bench: Bench) => Promise<Chapter[]>>> = {
  speed: async (bench) => {
    const rows = await measureSpeed(bench, plainTarget, peers);
    const how = `${String(bench.load.connections)} connections, closed load, no think time; chat-load with sessions of 20 turns and their creation. Medians (minimum–maximum) of ${String(bench.rounds)} rounds of ${String(bench.load.windowMs / 1000)} s. Turns are counted by the target, CPU time (user and system) by the operating system. Ratios compare with the runs of chat-load immediately before and after.`;
    const budget = judgeBudget(rows);
    return [
      { title: 'Speed', text: `${how}${absent(rows)}\n\n${speedTable(rows)}`, broken: 0 },
      { title: 'Budget', text: findingsTable(budget), broken: countBroken(budget) },
    ];
  },
  'slow-paths': async (bench) => {
    const chapters: Chapter[] = [];
    for (const [title, shape] of slowShapes) {
      const rows = await measureSpeed(
        bench,
        shape,
        peers.filter(({ name }) => slowPeers.includes(name)),
      );
      chapters.push({ title, text: speedTable(rows), broken: 0 });
    }
    return chapters;
  },
  gateways: ({ folder, rounds, load, report }) => measureGateways({ folder, rounds, load, report }),
  fleet: async (bench) => {
    const { title, text, broken } = chapterOf('A run over many processes', await measureFleet(bench));
    return [{ title, text: `${fleetConditions}\n\n${text}`, broken }];
  },
  streams: ({ streams: { only, ...sizes }, ...bench }) => measureStreams({ ...bench, ...sizes }, only),
  capacity: ({ folder, streams: { scale, only }, report }) => measureCapacity({ folder, scale, report }, only),
  acceptance: ({ streams: { scale, only }, report }) => measureAcceptance({ scale, report }, only),
  ordinary: ({ folder, streams: { scale, only }, report }) => measureOrdinary({ folder, scale, report }, only),
  breadth: async ({ folder }) => [chapterOf('Breadth', await measureBreadth(folder))],
  soak: async ({ folder }) => [chapterOf('A soak of five million turns', await measureSoak(folder))],
  guard: async ({ folder, rounds, load, report }) => [
    chapterOf('The integrity guard', await measureGuardCost({ folder, rounds, load, report })),
  ],
  live: async ({ folder, rounds }) => [chapterOf('The live page', await measureLiveCost({ folder, rounds }))],
  model: async ({ folder, rounds, load, report }) => [
    chapterOf('The model service', await measureModel({ folder, rounds, load, report })),
    chapterOf('Times inside a turn under load', await measureTimes({ folder, port: 9017 })),
  ],
  websocket: async ({ folder, rounds, load, report, streams: { before } }) => [
    chapterOf('WebSocket', await measureWebSocket({ folder, rounds, load, report, before })),
  ],
  redaction: ({ rounds, report }) => Promise.resolve([measureRedaction({ rounds, report })]),
  pages: async ({ folder, rounds }) => [chapterOf('Pages', await measurePages({ folder, rounds }))],
  exporters: async ({ folder, rounds, load, report }) => [
    chapterOf('Exporting metrics', await measureExporterCost({ folder, rounds, load, report })),
  ],
  traces: async ({ folder, rounds, load, report }) => [
    chapterOf('Exporting traces', await measureTraceCost({ folder, rounds, load, report })),
  ],
  truth: async ({ report }) => {
    const rows = await runTruth((row) => report(`${row.experiment}: ${row.figure} ${row.verdict}`));
    const broken = rows.filter(({ verdict }) => verdict === 'broken').length;
    const how =
      'Figures published by chat-load against the records of the target, or against the schedule. `reported`: not reached, and the run reports it.';
    return [{ title: 'Truth', text: `${how}\n\n${truthTable(rows)}`, broken }];
  },
  comparison: async ({ report }) => [{ title: 'Comparisons', ...(await measureComparison({ report })) }],
  releases: async ({ folder, report }) => [
    chapterOf('Distinguished releases', [...(await compareReleases(report)), ...measureReading(folder, report)]),
  ],
  calibrate: async ({ folder, load }) => [
    chapterOf('The calibration agrees', await measureAgreement(chatLoad(folder), load)),
  ],
};

const slowShapes: readonly (readonly [string, TargetShape])[] = [
  ['Over TLS', { ...plainTarget, tls: true }],
  ['Chunked replies', { ...plainTarget, chunked: true }],
  ['Replies of 64 KB', { ...plainTarget, replyBytes: 65_536 }],
];
const slowPeers = ['autocannon, fresh bodies', 'undici request', 'undici dispatch', 'wrk'];

const measureSpeed = (
  { folder, rounds, load, peers: named, report }: Bench,
  shape: TargetShape,
  candidates: readonly Generator[],
): Promise<SpeedRow[]> =>
  compareSpeed({
    ours: chatLoad(folder),
    peers: candidates.filter(({ name, version }) => version !== undefined && (named?.includes(name) ?? true)),
    shape,
    rounds,
    load,
    report,
  });

/** Describes the peers missing from the table. */
function absent(rows: readonly SpeedRow[]): string {
  const names = peers.map(({ name }) => name).filter((name) => rows.every(({ generator }) => generator.name !== name));
  return names.length === 0 ? '' : ` Not measured, because they are not on the PATH: ${names.join(', ')}.`;
}

const countBroken = (findings: readonly Finding[]): number => findings.filter((finding) => !holds(finding)).length;
