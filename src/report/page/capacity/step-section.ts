import type { Capacity } from '../../../capacity/document/capacity.ts';
import type { Step } from '../../../capacity/document/step.ts';
import { stepTable } from '../../capacity/step-table.ts';
import { clean } from '../../words/paragraph.ts';
import type { Section, TableRow } from '../page.ts';
import { tableBlock } from '../table-block.ts';

/** All steps in the order in which they were played, and why each came out as it did. */
export function stepSection(capacity: Capacity): Section {
  const { columns, rows } = stepTable(capacity);
  const heads = columns.map(({ head, align }) => (align === 'right' ? '>' : '') + head.toLowerCase());
  return {
    id: 'steps',
    title: 'The steps',
    lead: 'probe: a short step with so many concurrent sessions (live); climb: to the first load that is shown broken; narrow: between; confirm: an end again; recover: behind a broken step.',
    blocks: tableBlock({
      title: 'Steps',
      columns: [...heads, 'why'],
      rows: capacity.steps.map((step, at) => ({
        cells: [...(rows[at] ?? []), clean(step.reason)],
        state: states[step.verdict],
      })),
    }),
  };
}

const states: Readonly<Record<Step['verdict'], TableRow['state']>> = {
  holds: 'good',
  broken: 'bad',
  undecided: 'doubtful',
  no_evidence: 'doubtful',
};
