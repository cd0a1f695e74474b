import type { Capacity } from '../../../capacity/document/capacity.ts';
import { outcomeVerdicts } from '../../../capacity/words/summarize.ts';
import { askedFacts } from '../../capacity/capacity-facts.ts';
import { capacityVerdictLine } from '../../capacity/capacity-verdict-line.ts';
import { outcomeWords } from '../../capacity/outcome-words.ts';
import { clean } from '../../words/paragraph.ts';
import type { Page, Verdict } from '../page.ts';
import { answerSection } from './answer-section.ts';
import { curveSection } from './curve-section.ts';
import { objectiveSection } from './objective-section.ts';
import { stepSection } from './step-section.ts';

/** A search as a page: the answer, the curve over load, the objectives at the ends and the steps. */
export function viewCapacity(capacity: Capacity): Page {
  const { scenario, label, startedAt, machine, toolVersion } = capacity;
  const sections = [answerSection(capacity), curveSection(capacity), objectiveSection(capacity), stepSection(capacity)];
  const facts = [
    { name: 'scenario', text: scenario.name },
    ...askedFacts(capacity),
    { name: 'started', text: startedAt },
    { name: 'machine', text: machine },
    { name: 'seed', text: String(scenario.seed) },
    { name: 'chat-load', text: toolVersion },
  ];
  return {
    kind: 'capacity',
    title: clean(`Capacity: ${scenario.name}${label === null ? '' : ` (${label})`}`),
    facts: facts.map(({ name, text }) => ({ name, text: clean(text) })),
    verdict: verdictOf(capacity),
    sections: sections.filter(({ blocks }) => blocks.length > 0),
    timelines: [],
  };
}

function verdictOf(capacity: Capacity): Verdict {
  const words = outcomeWords(capacity);
  const notes = [...(words === null ? [] : [words.meaning, words.remedy]), ...capacity.warnings];
  return {
    state: outcomeVerdicts[capacity.outcome],
    sentence: capacityVerdictLine(capacity),
    notes: notes.map(clean),
  };
}
