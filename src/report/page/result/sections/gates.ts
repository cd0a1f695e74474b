import type { GateVerdict } from '../../../../result/gates/gates.ts';
import { actualText, conditionText, orderGates } from '../../../run/verdict-lines.ts';
import { tableBlock } from '../shown/blocks.ts';
import type { SectionView } from '../shown/section-view.ts';
import { titleIn } from '../shown/shown-run.ts';

const words = { pass: 'pass', fail: 'FAIL', 'no-data': 'NO DATA' } as const satisfies Record<
  GateVerdict['verdict'],
  string
>;
const states = { pass: 'good', fail: 'bad', 'no-data': 'doubtful' } as const;
const stateOf = new Map<string, (typeof states)[keyof typeof states]>(
  (['pass', 'fail', 'no-data'] as const).map((verdict) => [words[verdict], states[verdict]]),
);

const columns = [{ head: 'gate' }, { head: 'metric' }, { head: 'condition' }, { head: 'was' }];

export const gates: SectionView = {
  id: 'gates',
  title: 'Gates',
  lead: 'The conditions of the scenario. One without data counts as failed.',
  view: (runs) =>
    runs.flatMap((run) =>
      tableBlock(
        { title: titleIn(run, 'Gates'), first: 'gate' },
        {
          columns,
          rows: orderGates(run.result.gates).map((gate) => [
            words[gate.verdict],
            gate.metric,
            conditionText(gate),
            actualText(gate),
          ]),
        },
        ([word = '']) => stateOf.get(word) ?? 'plain',
      ),
    ),
};
