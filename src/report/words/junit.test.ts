import { describe, expect, test } from 'vitest';
import { renderJunit } from './junit.ts';

const suite = { name: 'a "suite"', startedAt: '2026-01-01T00:00:00.000Z', elapsedMs: 1234 };

describe('JUnit XML', () => {
  test('counts cases by how they ended', () => {
    const xml = renderJunit({
      ...suite,
      cases: [
        { name: 'good', end: 'passed' },
        { name: 'bad', end: 'failed', message: 'why', text: 'in full' },
        { name: 'unknown', end: 'invalid', message: 'no data', text: 'in full' },
        { name: 'unclear', end: 'invalid', message: 'no data', text: 'in full' },
        { name: 'omitted', end: 'skipped', text: 'for want of a key' },
        { name: 'odd', end: 'passed', text: 'a word' },
      ],
    });
    expect(xml.split('\n')).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites tests="6" failures="1" errors="2" skipped="1">',
      '  <testsuite name="a &quot;suite&quot;" timestamp="2026-01-01T00:00:00.000Z" time="1.234" tests="6" failures="1" errors="2" skipped="1">',
      '    <testcase classname="a &quot;suite&quot;" name="good"></testcase>',
      '    <testcase classname="a &quot;suite&quot;" name="bad"><failure message="why">in full</failure></testcase>',
      '    <testcase classname="a &quot;suite&quot;" name="unknown"><error message="no data">in full</error></testcase>',
      '    <testcase classname="a &quot;suite&quot;" name="unclear"><error message="no data">in full</error></testcase>',
      '    <testcase classname="a &quot;suite&quot;" name="omitted"><skipped message="for want of a key"/></testcase>',
      '    <testcase classname="a &quot;suite&quot;" name="odd"><system-out>a word</system-out></testcase>',
      '  </testsuite>',
      '</testsuites>',
      '',
    ]);
  });

  test('contains no text that would end an element, and no character that XML or a terminal would misinterpret', () => {
    const text = ']]></failure><x a="1">&amp;\'\u0000\u001b[31m\u009b\ud800\ufffe\n👋';
    const xml = renderJunit({ ...suite, cases: [{ name: text, end: 'failed', text }] });
    const safe = ']]&gt;&lt;/failure&gt;&lt;x a=&quot;1&quot;&gt;&amp;amp;&apos;  [31m    👋';
    expect(xml).toContain(`name="${safe}"><failure message="${safe}">${safe}</failure>`);
  });

  test('keeps an emoji of several parts in one', () => {
    const technician = '👩🏽\u200d💻';
    expect(renderJunit({ ...suite, cases: [{ name: technician, end: 'passed' }] })).toContain(`name="${technician}"`);
  });
});
