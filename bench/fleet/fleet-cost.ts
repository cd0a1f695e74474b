import type { Finding } from '../finding.ts';
import { chatLoad } from '../generators.ts';
import { median } from '../markdown.ts';
import type { Load } from '../measure.ts';
import { compareSpeed } from '../speed.ts';
import { plainTarget } from '../with-target.ts';

interface FleetCost {
  folder: string;
  rounds: number;
  load: Load;
  report: (text: string) => void;
}

/**
 * Measures the cost of a turn on two shards relative to one process, alternately against the same target. The figures
 * include both shards and their coordinator, which share the core that the single process has alone.
 */
export async function measureFleetCost({ folder, ...how }: FleetCost): Promise<Finding[]> {
  const ours = chatLoad(folder);
  const onTwo: typeof ours = {
    ...ours,
    name: 'chat-load --cores 2',
    start: (load) => {
      const { command, ...rest } = ours.start(load);
      return { ...rest, command: [...command, '--cores', '2'] };
    },
  };
  const [alone, both] = await compareSpeed({ ours, peers: [onTwo], shape: plainTarget, ...how });
  if (both?.failure !== undefined) throw new Error(`on two cores: ${both.failure}`);
  const wholes = (row: typeof alone): number => median(row?.measures.map((each) => each.wholeCpuUsPerTurn) ?? []);
  return [
    {
      what: 'CPU per turn, two shards and their coordinator over one process',
      value: median(both?.ratios.map(({ cpuUsPerTurn }) => cpuUsPerTurn) ?? []),
      atMost: 1.05,
    },
    { what: 'the same with start and end', value: wholes(both) / wholes(alone) },
  ];
}
