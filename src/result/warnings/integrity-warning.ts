import type { Plan } from '../../plan/plan.ts';
import { echoPatience } from '../../session/integrity/guard.ts';
import { isUnheard, type IntegrityFigures } from '../sections/integrity.ts';
import type { Warning } from '../sections/warning.ts';

type Spoken = Pick<Plan, 'integrity'>;

/** The warning about an agent that repeats no tag; nothing where it does. */
export function integrityWarnings(plan: Spoken, whole: Pick<IntegrityFigures, 'replies' | 'untagged'>): Warning[] {
  return isUnheard(whole) ? [unheardWarning(plan, whole.untagged)] : [];
}

/** The same, once this number of replies had no tag. */
export function unheardWarning({ integrity }: Spoken, untagged: number): Warning {
  return {
    code: 'integrity_unsupported',
    message: `None of the ${untagged < echoPatience ? '' : 'first '}${String(Math.min(untagged, echoPatience))} replies repeated the tag that the integrity guard asks for. This agent does not repeat tags, so what needs them was not checked (crossed, leakage, continuity, amnesia). All other figures stand.`,
    remedy: `Add to the agent's instructions: "${instructionFor(integrity.words)}" If it must not repeat, set integrity: 'listen' in the scenario. If the replies are not the agent's own (an error page, a canned text), find out why.`,
  };
}

const instructionFor = ({ tag, remember }: Plan['integrity']['words']): string =>
  `When a message says '${tag.replace('{{tag}}', '...')}', repeat that tag letter by letter. When it says '${remember.replace('{{code}}', '...')}', remember the code, and give it when asked.`;
