import { notJoining } from '../../base/printable.ts';

/** One case of a JUnit file. Texts may hold anything. */
export interface JunitCase {
  name: string;
  /** Why it failed, in a line and in full; `undefined` when it did not. */
  failure?: { message: string; text: string } | undefined;
  /** Why it is undecided, in a line and in full. */
  error?: { message: string; text: string } | undefined;
  /** Why it was not tried. */
  skipped?: string | undefined;
  /** What else there is to say. */
  output?: string | undefined;
}

interface JunitSuite {
  name: string;
  /** ISO 8601. */
  startedAt: string;
  elapsedMs: number;
  cases: readonly JunitCase[];
}

/** Writes a suite as JUnit XML, in the form that CI systems read. */
export function renderJunit({ name, startedAt, elapsedMs, cases }: JunitSuite): string {
  const counted = (end: 'failure' | 'error' | 'skipped'): number =>
    cases.filter((each) => each[end] !== undefined).length;
  const [failures, errors, skipped] = [counted('failure'), counted('error'), counted('skipped')];
  const counts = attributes({ tests: cases.length, failures, errors, skipped });
  const about = attributes({ name, timestamp: startedAt, time: (elapsedMs / 1000).toFixed(3) });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${counts}>`,
    `  <testsuite${about}${counts}>`,
    ...cases.map((each) => caseLine(each, name)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function caseLine({ name, failure, error, skipped, output }: JunitCase, classname: string): string {
  const inner = [
    failure && `<failure${attributes({ message: failure.message })}>${escapeXml(failure.text)}</failure>`,
    error && `<error${attributes({ message: error.message })}>${escapeXml(error.text)}</error>`,
    skipped === undefined ? undefined : `<skipped${attributes({ message: skipped })}/>`,
    output === undefined ? undefined : `<system-out>${escapeXml(output)}</system-out>`,
  ].filter((part) => part !== undefined);
  return `    <testcase${attributes({ classname, name })}>${inner.join('')}</testcase>`;
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
