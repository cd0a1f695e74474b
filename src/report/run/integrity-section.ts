import type { Result } from '../../result/result.ts';
import type { Violation } from '../../record/violations.ts';
import type { Integrity } from '../../result/sections/integrity.ts';
import { heads, list, painted, table, text, type OutlineRow, type Paint, type Writer } from '../outline/outline.ts';
import { countOf, formatCount, formatMs } from '../../base/format.ts';
import { oneLine } from '../words/width.ts';
import { perRun } from './shown-run.ts';

const checkColumns = heads('check|INTEGRITY', '>checked', '>failed', 'first violation');
const violationColumns = heads(
  ...['check', 'where', '>at', 'what happened'],
  ...['>turns since the code', '>retries since', '>longest idle time'],
);

/** Integrity checks, each with its first violation; a terminal omits passive checks that found nothing. */
export const integritySection = perRun(
  {
    on: ['terminal', 'page'],
    page: {
      id: 'integrity',
      isSecondary: true,
      title: 'Integrity of conversations',
      lead: 'Checks that every reply belongs to its conversation.',
    },
  },
  ({ result }) => {
    const { integrity } = result;
    const { enabled, mode, verdict } = integrity;
    const isQuiet = mode === 'off' || verdict === 'no-data' || (mode === 'passive' && verdict === 'pass');
    const terminal: readonly Writer[] = isQuiet ? [] : ['terminal'];
    const page: readonly Writer[] = enabled ? ['page'] : [];
    const { word, text: evidence } = describeIntegrity(result);
    return [
      { ...text(`${word}: ${evidence}`), on: page },
      list(notRun(integrity), { on: page }),
      table('Checks', checkColumns, checkRows(integrity), { on: [...terminal, ...page] }),
      list(notRun(integrity), { on: terminal }),
      table('Violations', violationColumns, integrity.examples.map(violationCells), { on: page }),
    ];
  },
);

function checkRows(integrity: Integrity): OutlineRow[] {
  const { checks, examples, afterAmbiguousRetry: ambiguous } = integrity;
  const rows = checks.flatMap(({ name, checked, failed }): OutlineRow[] => {
    const first = exampleText(examples.find((example) => example.check === name));
    const row: OutlineRow = {
      cells: [name, formatCount(checked), formatCount(failed), first],
      ...(failed > 0 ? { state: 'bad', paint: 'red' } : {}),
    };
    return [...(checked > 0 || first !== '' ? [row] : []), ...(name === 'turns' ? turnRows(integrity) : [])];
  });
  if (ambiguous.checked === 0) return rows;
  const cells = ['after ambiguous retries', formatCount(ambiguous.checked), formatCount(ambiguous.failed), ''];
  return [...rows, { cells, ...(ambiguous.failed > 0 ? { state: 'bad' } : {}) }];
}

/** Describes the turns that the agent's history lost, duplicated, reordered or repeated. */
const turnRows = ({ turns }: Integrity): OutlineRow[] =>
  (['lost', 'duplicated', 'reordered', 'repeated'] as const).flatMap((name) => {
    const note = name === 'repeated' ? ', by ambiguous retries (not a failure)' : '';
    return turns[name] === 0 ? [] : [{ cells: [`  ${name}`, '', '', countOf(turns[name], 'turn') + note] }];
  });

/** Lists checks that were never run, so that the absence of findings is not mistaken for a pass. */
function notRun({ mode, checks }: Integrity): string[] {
  const names = checks.flatMap(({ name, checked }) => (checked === 0 ? [name] : []));
  return mode === 'passive' || names.length === 0 ? [] : [`not run: ${names.join(', ')}`];
}

const exampleText = (example: Violation | undefined): string =>
  example === undefined ? '' : `${turnText(example)}: ${oneLine(example.detail)}`;

const turnText = ({ session, turn }: Violation): string => `session ${formatCount(session)}, turn ${String(turn)}`;

function violationCells(violation: Violation): string[] {
  const { check, detail, turnsBetween, retriesBetween, idleMs, atMs } = violation;
  const numbers = [turnsBetween, retriesBetween].map((count) => (count === null ? '-' : formatCount(count)));
  return [check, turnText(violation), formatMs(atMs), detail, ...numbers, formatMs(idleMs)];
}

/** Returns the integrity verdict; '' if the checks were off. */
export const integrityVerdictSection = perRun({}, ({ result }) => {
  const { word, text: evidence, paint } = describeIntegrity(result);
  return word === 'off' ? [] : [{ ...text(evidence), first: ['INTEGRITY ', painted(word, paint), ': '] }];
});

interface IntegrityText {
  word: string;
  text: string;
  paint: Paint;
}

/** Describes the integrity verdict: a word or two, and its evidence. */
export function describeIntegrity({ integrity, books, outcomes }: Result): IntegrityText {
  const { verdict, mode, replies, untagged, foreignWords = 0 } = integrity;
  const { failed, replies: examined } = books.integrity;
  switch (verdict) {
    case 'off':
      return { word: 'off', text: 'replies were not checked', paint: 'dim' };
    case 'no-data':
      return { word: 'no data', text: 'there was no reply to check', paint: 'yellow' };
    case 'pass': {
      const passive = mode === 'passive' ? ', passive checks' : '';
      const counted = countOf(replies, 'reply', 'replies');
      return { word: 'pass', text: `${counted}${passive}${brokenChecks(outcomes)}`, paint: 'green' };
    }
    case 'unsupported':
      return { word: 'unsupported', text: 'the agent does not repeat tags; see the warning', paint: 'red' };
    case 'fail': {
      const broke = `${formatCount(failed)} of ${countOf(examined, 'reply', 'replies')} broke a check${inWarmUp(books)}`;
      if (foreignWords > 0) return { word: 'FAIL', text: foreignText(foreignWords), paint: 'red' };
      const why = failed === 0 ? untaggedText(untagged) : broke;
      return { word: 'FAIL', text: why, paint: 'red' };
    }
  }
}

/** Describes replies without a tag of an agent that repeats tags: `untagged` of the measured part. */
export function untaggedText(untagged: number): string {
  const first = untagged === 0 ? 'replies of the warm-up' : countOf(untagged, 'reply', 'replies');
  return `${first} returned no tag before the first that did`;
}

export function foreignText(turns: number): string {
  return `${countOf(turns, 'reply', 'replies')} contained the word of a model call of another session`;
}

/** Mentions failed checks of the scenario: they are not part of the integrity verdict. */
const brokenChecks = ({ turns: { check_failed: failed } }: Result['outcomes']): string =>
  failed === 0 ? '' : `; ${countOf(failed, 'turn')} broke a check of the scenario`;

/** Mentions violations in the warm-up: the verdict covers the whole run, the table only its measured part. */
export function inWarmUp({ warmUp: { integrity } }: Result['books']): string {
  return integrity.failed === 0 ? '' : `, ${formatCount(integrity.failed)} in the warm-up`;
}
