import type { JunitSuite } from './junit.ts';

/** Writes what failed in a suite as commands that GitHub shows as annotations. */
export function renderAnnotations({ name, cases }: JunitSuite): string {
  return cases
    .filter(({ end }) => end === 'failed' || end === 'invalid')
    .map(({ name: part, end, text = '', message = text }) => {
      const title = escapeText(`${name}: ${part}`).replaceAll(':', '%3A').replaceAll(',', '%2C');
      return `::${end === 'failed' ? 'error' : 'warning'} title=${title}::${escapeText(message)}`;
    })
    .join('\n');
}

/** Escapes a text of any origin, which could otherwise end the command and start another one. */
const escapeText = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
