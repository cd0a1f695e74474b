import type { Result } from '../../result/result.ts';
import type { Violation } from '../../record/violations.ts';
import type { Integrity } from '../../result/sections/integrity.ts';
import { heads, painted, type OutlineBlock, type OutlineRow, type Paint, type Writer } from '../outline/outline.ts';
import { countOf, formatCount, formatMs } from '../../base/format.ts';
import { oneLine } from '../words/width.ts';
import { titleIn, type RunSection } from './shown-run.ts';

/** Integrity checks, each with its first violation; a terminal omits passive checks that found nothing. */
export const integritySection: RunSection = (runs) => ({
  on: ['terminal', 'page'],
  page: {
    id: 'integrity',
    title: 'Integrity of conversations',
    lead: 'Checks that every reply belongs to its conversation.',
  },
  blocks: runs.flatMap((run): OutlineBlock[] => {
    const { integrity } = run.result;
    const on = writersOf(integrity);
    const missing: OutlineBlock = { type: 'list', on, texts: notRun(integrity) };
    return [
      { type: 'text', on: on.filter((writer) => writer === 'page'), text: titleIn(run, verdictText(run.result)) },
      { ...missing, on: on.filter((writer) => writer === 'page') },
      {
        type: 'table',
        on,
        title: titleIn(run, 'Checks'),
        columns: [{ head: 'check', terminal: 'INTEGRITY' }, ...heads('>checked', '>failed', 'first violation')],
        rows: checkRows(integrity),
      },
      { ...missing, on: on.filter((writer) => writer === 'terminal') },
      {
        type: 'table',
        on: on.filter((writer) => writer === 'page'),
        title: titleIn(run, 'Violations'),
        columns: heads(
          ...['check', 'where', '>at', 'what happened'],
          ...['>turns since the code', '>retries since', '>longest idle time'],
        ),
        rows: integrity.examples.map((example) => ({ cells: violationCells(example) })),
      },
    ];
  }),
});

function writersOf({ enabled, mode, verdict }: Integrity): Writer[] {
  const isQuiet = mode === 'off' || verdict === 'no-data' || (mode === 'passive' && verdict === 'pass');
  return [...(isQuiet ? [] : ['terminal' as const]), ...(enabled ? ['page' as const] : [])];
}

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

/** Turns that the agent's history lost, duplicated, reordered or repeated. */
const turnRows = ({ turns }: Integrity): OutlineRow[] =>
  (['lost', 'duplicated', 'reordered', 'repeated'] as const).flatMap((name) => {
    if (turns[name] === 0) return [];
    const text = countOf(turns[name], 'turn');
    return [
      { cells: [`  ${name}`, '', '', name === 'repeated' ? `${text}, by ambiguous retries (not a failure)` : text] },
    ];
  });

/** Lists checks that were never run: they found nothing, but not because all was well. */
function notRun({ mode, checks }: Integrity): string[] {
  if (mode === 'passive') return [];
  const names = checks.flatMap(({ name, checked }) => (checked === 0 ? [name] : []));
  return names.length === 0 ? [] : [`not run: ${names.join(', ')}`];
}

function exampleText(example: Violation | undefined): string {
  if (example === undefined) return '';
  const { session, turn, detail } = example;
  return `session ${formatCount(session)}, turn ${String(turn)}: ${oneLine(detail)}`;
}

function violationCells(violation: Violation): string[] {
  const { check, session, turn, detail, turnsBetween, retriesBetween, idleMs, atMs } = violation;
  const numbers = [turnsBetween, retriesBetween].map((count) => (count === null ? '-' : formatCount(count)));
  const of = `session ${formatCount(session)}, turn ${String(turn)}`;
  return [check, of, formatMs(atMs), detail, ...numbers, formatMs(idleMs)];
}

/** Integrity verdict; empty if the checks were off. */
export const integrityVerdictSection: RunSection = (runs) => ({
  blocks: runs.flatMap(({ result }): OutlineBlock[] => {
    const { word, text, paint } = describeIntegrity(result);
    return word === 'off' ? [] : [{ type: 'text', first: ['INTEGRITY ', painted(word, ...paint), ': '], text }];
  }),
});

function verdictText(result: Result): string {
  const { word, text } = describeIntegrity(result);
  return `${word}: ${text}`;
}

interface IntegrityText {
  word: string;
  /** Evidence of the verdict. */
  text: string;
  paint: readonly Paint[];
}

/** Describes the integrity verdict: a word or two, and its evidence. */
export function describeIntegrity({ integrity, books, outcomes }: Result): IntegrityText {
  const { verdict, mode, replies, untagged } = integrity;
  const { failed, replies: examined } = books.integrity;
  switch (verdict) {
    case 'off':
      return { word: 'off', text: 'replies were not checked', paint: [] };
    case 'no-data':
      return { word: 'no data', text: 'there was no reply to check', paint: ['yellow'] };
    case 'pass': {
      const passive = mode === 'passive' ? ', passive checks' : '';
      const text = `${countOf(replies, 'reply', 'replies')}${passive}${brokenChecks(outcomes)}`;
      return { word: 'pass', text, paint: ['green'] };
    }
    case 'unsupported':
      return { word: 'unsupported', text: 'the agent does not repeat tags; see the warning', paint: ['red'] };
    case 'fail': {
      const first = untagged === 0 ? 'replies of the warm-up' : countOf(untagged, 'reply', 'replies');
      const broke = `${formatCount(failed)} of ${countOf(examined, 'reply', 'replies')} broke a check${inWarmUp(books)}`;
      return {
        word: 'FAIL',
        text: failed === 0 ? `${first} returned no tag before the first that did` : broke,
        paint: ['red'],
      };
    }
  }
}

/** Mentions failed checks of the scenario: they are not part of the integrity verdict. */
const brokenChecks = ({ turns: { check_failed: failed } }: Result['outcomes']): string =>
  failed === 0 ? '' : `; ${countOf(failed, 'turn')} broke a check of the scenario`;

/** Mentions violations in the warm-up: the verdict covers the whole run, the table only its measured part. */
export function inWarmUp({ warmUp: { integrity } }: Result['books']): string {
  return integrity.failed === 0 ? '' : `, ${formatCount(integrity.failed)} in the warm-up`;
}
