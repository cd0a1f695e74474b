import { describe, expect, test } from 'vitest';
import {
  confirmed,
  hostileOne,
  inconclusive,
  notComparable,
  notConfirmed,
  regressed,
  unchanged,
} from '../../../test/support/synthetic-comparison.ts';
import { renderJunit } from '../words/junit.ts';
import { comparisonSuite } from './comparison-ends.ts';

/** Returns the outcomes of the cases of a file by name, with their messages. */
function endsOf(xml: string): Record<string, string> {
  const cases = [...xml.matchAll(/<testcase classname="[^"<>]*" name="([^"<>]*)">(.*?)<\/testcase>/g)];
  return Object.fromEntries(
    cases.map(([, name = '', inner = '']) => {
      const [, end = '', message] = /^<([a-z-]+)(?: message="([^"<>]*)")?/.exec(inner) ?? [];
      return [name, message === undefined ? end : `${end} ${message}`];
    }),
  );
}

/** Reports whether tags are balanced and every ampersand starts a known entity. */
function isWellFormed(xml: string): boolean {
  const open: string[] = [];
  const tags = /<(\/?)([a-z-]+)((?: [a-z]+="[^"<>]*")*)(\/?)>|<\?xml[^?]*\?>/g;
  for (const [, closes, name = '', , isEmpty] of xml.matchAll(tags))
    if (closes === '/') {
      if (open.pop() !== name) return false;
    } else if (name !== '' && isEmpty !== '/') open.push(name);
  return open.length === 0 && !/[<>]|&(?!(?:amp|lt|gt|quot|apos);)/.test(xml.replace(tags, ''));
}

describe('a comparison as JUnit XML', () => {
  test('has a case per gated metric, and fails regressed ones', () => {
    const ends = endsOf(renderJunit(comparisonSuite(regressed)));
    expect(Object.keys(ends)).toEqual(regressed.metrics.filter(({ isGated }) => isGated).map(({ name }) => name));
    expect(ends['turn.ok.p99']).toBe(
      'failure regressed: 1.21 s to 1.85 s, +52.9 % (95 % interval 44.1 to 62.2), margin 10 %, adjusted p &lt;0.001',
    );
    expect(ends['turn.ok.p50']).toBe('system-out');
    expect(renderJunit(comparisonSuite(regressed))).toContain('tests="8" failures="2" errors="0" skipped="1"');
  });

  test('fails nothing if nothing has regressed', () => {
    expect(renderJunit(comparisonSuite(unchanged))).toContain('tests="8" failures="0" errors="0" skipped="0"');
  });

  test('skips undecided metrics, with the data needed', () => {
    const ends = endsOf(renderJunit(comparisonSuite(inconclusive)));
    expect(ends['turn.ok.p50']).toMatch(
      /^skipped inconclusive: .*9 runs per side would show a change of 5 % \(now 3\)/,
    );
    expect(ends['sessionCreate.p99']).toMatch(/^skipped no data: .*10,000 values are needed/);
    expect(ends['rates.turnsPerSecond']).toBeUndefined();
  });

  test('fails undecided metrics on request', () => {
    const xml = renderJunit(comparisonSuite({ ...inconclusive, failOnInconclusive: true }));
    expect(endsOf(xml)['turn.ok.p50']).toMatch(/^failure inconclusive/);
    expect(xml).toContain('tests="7" failures="2" errors="0" skipped="1"');
    const improved = { ...inconclusive, verdict: 'improved' as const };
    expect(renderJunit(comparisonSuite({ ...improved, failOnInconclusive: true }))).toContain('failures="0"');
  });

  test('errs on request if no metric had data', () => {
    const metrics = inconclusive.metrics.map((each) => ({ ...each, verdict: 'no_data' as const }));
    const xml = renderJunit(comparisonSuite({ ...inconclusive, metrics, failOnInconclusive: true }));
    expect(xml).toContain('tests="7" failures="0" errors="7" skipped="0"');
    expect(renderJunit(comparisonSuite({ ...inconclusive, metrics }))).toContain('errors="0" skipped="7"');
  });

  test('is one errored case if the sides cannot be compared', () => {
    const xml = renderJunit(comparisonSuite(notComparable));
    expect(Object.keys(endsOf(xml))).toEqual(['comparable']);
    expect(xml).toContain('tests="1" failures="0" errors="1" skipped="0"');
    expect(xml).toContain('scenario.hash: base c1c3b20e');
  });

  test('does not fail an alarm that fresh runs did not confirm', () => {
    expect(endsOf(renderJunit(comparisonSuite(notConfirmed)))['turn.ok.p99']).toMatch(
      /^skipped regressed: .*did not confirm it/,
    );
    expect(renderJunit(comparisonSuite(notConfirmed))).toContain('failures="0"');
    expect(renderJunit(comparisonSuite({ ...notConfirmed, failOnInconclusive: true }))).toContain('failures="3"');
    expect(endsOf(renderJunit(comparisonSuite(confirmed)))['turn.ok.p99']).toMatch(/^failure/);
  });

  test.each([hostileOne, { ...hostileOne, verdict: 'not_comparable' as const }])(
    'is valid XML whatever the names',
    (comparison) => {
      const xml = renderJunit(comparisonSuite(comparison));
      expect(isWellFormed(xml)).toBe(true);
      expect(isWellFormed(`${xml}<img>`)).toBe(false);
      expect(xml).not.toMatch(/[^\P{C}\n]/u);
    },
  );
});
