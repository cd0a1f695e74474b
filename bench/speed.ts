import type { Generator } from './generators.ts';
import { measure, type Load, type Measure } from './measure.ts';
import { withTarget, type TargetProgram, type TargetShape } from './with-target.ts';

/** Measurements of one generator, in the order of the rounds. */
export interface SpeedRow {
  generator: Generator;
  measures: Measure[];
  /** Ratios of each measurement to chat-load's before and after it. */
  ratios: { turnsPerSecond: number; cpuUsPerTurn: number; peakBytes: number }[];
  /** Reason for a missing measurement. */
  failure: string | undefined;
}

interface SpeedPlan {
  ours: Generator;
  peers: readonly Generator[];
  shape: TargetShape | TargetProgram;
  rounds: number;
  load: Load;
  report: (text: string) => void;
}

/**
 * Measures chat-load and its peers alternately, chat-load between any two peers: A B A C A, and so on, for the given
 * number of rounds. Drift of a shared machine affects adjacent measurements alike, so each ratio compares adjacent
 * ones.
 */
export async function compareSpeed({ ours, peers, shape, rounds, load, report }: SpeedPlan): Promise<SpeedRow[]> {
  const own: SpeedRow = blank(ours);
  const rows = peers.map(blank);
  await withTarget(shape, async (target) => {
    const go = async (row: SpeedRow): Promise<Measure> => {
      const taken = await measure(row.generator, target, load);
      row.measures.push(taken);
      report(
        `${row.generator.name}: ${taken.turnsPerSecond.toFixed(0)}/s, ${taken.cpuUsPerTurn.toFixed(1)} µs per turn`,
      );
      return taken;
    };
    let before = await go(own);
    for (let round = 1; round <= rounds; round++) {
      for (const row of rows.filter(({ failure }) => failure === undefined)) {
        try {
          const theirs = await go(row);
          const after = await go(own);
          row.ratios.push(against(theirs, before, after));
          before = after;
        } catch (thrown) {
          row.failure = String(thrown);
          report(`${row.generator.name}: ${row.failure}`);
        }
      }
    }
  });
  return [own, ...rows];
}

const blank = (generator: Generator): SpeedRow => ({ generator, measures: [], ratios: [], failure: undefined });

function against(theirs: Measure, before: Measure, after: Measure): SpeedRow['ratios'][number] {
  const ratio = (key: 'turnsPerSecond' | 'cpuUsPerTurn' | 'peakBytes'): number =>
    theirs[key] / ((before[key] + after[key]) / 2);
  return {
    turnsPerSecond: ratio('turnsPerSecond'),
    cpuUsPerTurn: ratio('cpuUsPerTurn'),
    peakBytes: ratio('peakBytes'),
  };
}
