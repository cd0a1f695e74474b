import type { Capacity } from '../../../capacity/document/capacity.ts';
import { breakText } from '../../../capacity/words/summarize.ts';
import { loadUnitTexts, timesText } from '../../../capacity/words/load-text.ts';
import { foundFacts } from '../../capacity/capacity-facts.ts';
import { formatNumber, formatRate, formatShare } from '../../words/format.ts';
import { clean } from '../../words/paragraph.ts';
import type { Figure, Section } from '../page.ts';
import { tableBlock } from '../table-block.ts';

/** The ends and the knee as cards, and what else was found. */
export function answerSection(capacity: Capacity): Section {
  const rows = foundFacts(capacity).map(({ name, text }) => ({
    cells: [name, clean(text)],
    state: 'plain' as const,
  }));
  return {
    id: 'answer',
    title: 'The answer',
    lead: '',
    blocks: [
      { type: 'figures', figures: [...endCards(capacity), ...otherCards(capacity)] },
      ...tableBlock({ title: 'What was found', columns: ['what', 'found'], rows }),
    ],
  };
}

function endCards(capacity: Capacity): Figure[] {
  const { holds, broken, by } = capacity;
  const unit = loadUnitTexts[by];
  return [
    {
      name: 'Holds at',
      text: holds === null ? '-' : formatNumber(holds.load),
      detail: holds === null ? 'no load was shown to hold' : `${unit}, shown ${timesText(holds.steps.length)}`,
      state: holds === null ? 'bad' : 'good',
    },
    {
      name: 'Broken at',
      text: broken === null ? '-' : formatNumber(broken.load),
      detail: broken === null ? 'no load was shown to break' : clean(`${unit}: ${breakText(capacity)}`),
      state: broken === null ? 'plain' : 'bad',
    },
  ];
}

function otherCards({ knee, by, holds, steps }: Capacity): Figure[] {
  const { figures } = steps.findLast(({ number }) => holds?.steps.includes(number)) ?? {};
  return [
    ...(knee === null
      ? []
      : [
          {
            name: 'Knee',
            text: formatNumber(knee.load),
            detail: `${loadUnitTexts[by]}, ${formatRate(knee.turnsPerSecond, 'turn')}`,
            state: 'plain' as const,
          },
        ]),
    ...(figures === undefined
      ? []
      : [
          {
            name: 'Throughput where it holds',
            text: figures.turnsPerSecond === null ? '-' : formatRate(figures.turnsPerSecond, 'turn'),
            detail: `${formatShare(figures.failedShare)} failed`,
            state: 'plain' as const,
          },
        ]),
  ];
}
