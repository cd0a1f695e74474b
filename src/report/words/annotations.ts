import type { JunitSuite } from './junit.ts';

/** Writes the failures of a suite as commands that GitHub shows as annotations, one per cause. */
export function renderAnnotations({ name, cases }: JunitSuite): string {
  return cases
    .filter(({ end, isRepeated }) => (end === 'failed' || end === 'invalid') && isRepeated !== true)
    .map(({ name: part, end, text = '', message = text }) => {
      const title = escapeText(`${name}: ${part}`).replaceAll(':', '%3A').replaceAll(',', '%2C');
      return `::${end === 'failed' ? 'error' : 'warning'} title=${title}::${escapeText(message)}`;
    })
    .join('\n');
}

/** Escapes a text of any origin, which could otherwise end the command and start another one. */
const escapeText = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
