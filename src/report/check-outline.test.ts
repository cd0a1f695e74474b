import { checkReport } from './check-outline.ts';
import { describe, expect, test } from 'vitest';
import { buildCheck, type RuleFinding } from '../conformance/check-document.ts';
import { written } from '../../test/support/render-outline.ts';

const finding = (id: string, over: Partial<RuleFinding> = {}): RuleFinding => ({
  id,
  section: '7',
  rule: `The rule of ${id}.`,
  expected: '400 "Agent ID, message, and session ID are required"',
  standing: 'required',
  seen: `200 "${'so long a reply '.repeat(6)}"`,
  verdict: 'pass',
  ...over,
});

const check = buildCheck({
  toolVersion: '1.2.3',
  startedAt: '2026-01-01T00:00:00.000Z',
  elapsedMs: 5100,
  target: { baseUrl: 'https://agent.example/', embedded: false, agentId: 'a\u001b[2J1' },
  scenario: null,
  exchanges: 31,
  remedy: null,
  rules: [
    finding('good'),
    finding('bad', { verdict: 'fail', seen: `"${'x'.repeat(90)}END"` }),
    finding('silent', { verdict: 'warn', standing: 'recommended' }),
    finding('untried', { verdict: 'skipped', seen: 'for want of a key' }),
  ],
});

describe('the findings of a check', () => {
  test('ends with a remedy if hardly a rule could be checked', () => {
    const text = written(checkReport, { ...check, remedy: 'Name another agent with --agent-id.' }, { width: 80 });
    expect(text.split('\n').slice(-3)).toEqual([
      'Name another agent with --agent-id.',
      '1 of 4 rules passed, 1 failed, 1 warning, 1 skipped',
      expect.stringMatching(/^FAILED: /),
    ]);
  });

  test('is summed up, with the parts that are not kept as text', () => {
    const lines = written(checkReport, check, { width: 100 }).split('\n');
    expect(lines.slice(0, 2)).toEqual([
      'check: completed after 5 s, 31 exchanges',
      'target    https://agent.example/, agent a [2J1',
    ]);
    expect(lines.at(-2)).toBe('1 of 4 rules passed, 1 failed, 1 warning, 1 skipped');
    expect(lines.at(-1)).toMatch(/^FAILED: 1 required rule broken: \S+$/);
    expect(lines.find((line) => line.startsWith('bad'))).toContain('The rule of bad. (API description, section 7.)');
    expect(lines.indexOf('silent       The rule of silent. (API description, section 7.)')).toBeGreaterThan(
      lines.findIndex((line) => line.startsWith('RECOMMENDED')),
    );
    expect(lines.filter((line) => /^(pass|FAIL|warning|skipped) /.test(line))).toHaveLength(4);
  });
});
