import { notJoining } from '../../base/printable.ts';

/** A case of a JUnit file. Texts may contain any characters. */
export interface JunitCase {
  name: string;
  /** Outcome; `invalid` if undecided, `skipped` if not tested. */
  end: 'passed' | 'failed' | 'invalid' | 'skipped';
  /** Full reason, or a remark on a passed case. */
  text?: string | undefined;
  /** Short reason; by default the full one. */
  message?: string;
  /** True if another case states the cause: it has no annotation of its own. */
  isRepeated?: boolean;
}

export interface JunitSuite {
  name: string;
  /** Start in ISO 8601 format. */
  startedAt: string;
  elapsedMs: number;
  cases: readonly JunitCase[];
}

/** Writes a suite as JUnit XML, in the dialect of CI systems. */
export function renderJunit({ name, startedAt, elapsedMs, cases }: JunitSuite): string {
  const counted = (wanted: JunitCase['end']): number => cases.filter(({ end }) => end === wanted).length;
  const [failures, errors, skipped] = [counted('failed'), counted('invalid'), counted('skipped')];
  const counts = attributes({ tests: cases.length, failures, errors, skipped });
  const about = attributes({ name, timestamp: startedAt, time: (elapsedMs / 1000).toFixed(3) });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${counts}>`,
    `  <testsuite${about}${counts}>`,
    ...cases.map(
      (each) => `    <testcase${attributes({ classname: name, name: each.name })}>${endOf(each)}</testcase>`,
    ),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function endOf({ end, text, message = text ?? '' }: JunitCase): string {
  switch (end) {
    case 'passed':
      return text === undefined ? '' : `<system-out>${escapeXml(text)}</system-out>`;
    case 'failed':
      return `<failure${attributes({ message })}>${escapeXml(text ?? '')}</failure>`;
    case 'invalid':
      return `<error${attributes({ message })}>${escapeXml(text ?? '')}</error>`;
    case 'skipped':
      return `<skipped${attributes({ message })}/>`;
  }
}

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('');

/** Characters that XML 1.0 cannot contain, even escaped (its production 2), or that control a terminal. */
const unfit = new RegExp(notJoining('\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\ufffe\\uffff'), 'gu');

const marks: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

const escapeXml = (text: string): string => text.replace(unfit, ' ').replace(/[&<>"']/g, (mark) => marks[mark] ?? mark);
