import type { Capacity } from '../../capacity/document/capacity.ts';
import { outcomeVerdicts } from '../../capacity/words/summarize.ts';
import { renderJunit, type JunitCase } from '../words/junit.ts';
import { clean } from '../words/paragraph.ts';
import type { Ending } from '../words/renderer.ts';
import type { Style } from '../words/table.ts';
import { askedFacts, foundFacts } from './capacity-facts.ts';
import { capacityVerdictLine, outcomeWords } from './outcome-words.ts';

/** Renders a search as JUnit XML: one case, which fails or errs where there is no answer. An objective that breaks under more load is no failure. */
export function renderCapacityJunit(capacity: Capacity, _: Style, ending: Ending): string {
  return renderJunit({
    name: `chat-load capacity ${clean(capacity.scenario.name)}`,
    startedAt: clean(capacity.startedAt),
    elapsedMs: capacity.elapsedMs,
    cases: [answerCase(capacity, ending)],
  });
}

function answerCase(capacity: Capacity, { verdict = capacityVerdictLine(capacity) }: Ending): JunitCase {
  const words = outcomeWords(capacity);
  const facts = [...askedFacts(capacity), ...foundFacts(capacity)].map(({ name, text }) => `${name}: ${text}`);
  const message = clean(verdict);
  const text = clean([message, ...(words === null ? [] : [words.meaning, words.remedy]), ...facts].join('; '));
  const name = 'capacity';
  switch (outcomeVerdicts[capacity.outcome]) {
    case 'passed':
      return { name, output: text };
    case 'failed':
      return { name, failure: { message, text } };
    case 'invalid':
      return { name, error: { message, text } };
  }
}
