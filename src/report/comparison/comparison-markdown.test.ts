import { renderComparisonMarkdown } from '../../../test/support/render-outline.ts';
import { describe, expect, test } from 'vitest';
import {
  comparisons,
  hostileOne,
  inconclusive,
  notComparable,
  regressed,
} from '../../../test/support/synthetic-comparison.ts';

describe('a comparison as Markdown', () => {
  test('begins with the verdict and the gate table, the worst first', () => {
    const [title, , , , head, rule, ...rows] = renderComparisonMarkdown(regressed).split('\n');
    expect(title).toBe('### REGRESSED: peak, v1.5.0 against v1.4.2');
    expect(head).toBe('| verdict | metric | base | head | change | 95 % interval | margin | adjusted p |');
    expect(rule).toBe('| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |');
    expect(rows[0]).toBe(
      '| **REGRESSED** | `attempt.ok.p99` | 476 ms | 1.18 s | +148 % | 130 to 167 | 10 % | &lt;0.001 |',
    );
    expect(rows[3]).toContain('| unchanged | `turn.ok.mean` |');
  });

  test('folds details that the verdict does not need', () => {
    const text = renderComparisonMarkdown(regressed);
    const summaries = [...text.matchAll(/<summary>(.*)<\/summary>/g)].map(([, summary]) => summary);
    expect(summaries).toEqual([
      '1 metric undecided: reasons, and data needed',
      'Details of the change',
      '15 more metrics moved (informational: these never fail a comparison)',
      '2 warnings',
      'Runs',
    ]);
    expect(text).toContain('5 others moved less.');
  });

  test('lists the data that would decide the rest', () => {
    expect(renderComparisonMarkdown(inconclusive)).toContain(
      '| `turn.ok.p50` | 9.2 % | too noisy to show whether there is a change beyond the margin; 9 runs per side would show a change of 5 % (now 3); longer runs would not help |',
    );
  });

  test('lists a run of both sides once', () => {
    const [run] = notComparable.base.runs;
    if (run === undefined) throw new Error('no run');
    const head = { ...notComparable.head, runs: [run, ...notComparable.head.runs.slice(1)] };
    const lines = renderComparisonMarkdown({ ...notComparable, head }).split('\n');
    const runs = lines.filter((line) => line.startsWith('- run '));
    expect(runs).toHaveLength(notComparable.base.runs.length + notComparable.head.runs.length - 1);
    expect(new Set(runs).size).toBe(runs.length);
  });

  test('names the differences and the remedy if the sides cannot be compared', () => {
    const text = renderComparisonMarkdown(notComparable);
    expect(text).toMatch(/^### NOT COMPARABLE/);
    expect(text).toContain('<br>load.concurrency: base 50, head 80');
    expect(text).toContain('use `--force`');
    expect(text).not.toContain('adjusted p');
  });

  test.each(Object.entries(comparisons))(
    'opens and closes everything, and keeps its tables whole: %s',
    (_, comparison) => {
      const text = renderComparisonMarkdown(comparison);
      const tags = [...text.matchAll(/<(\/?\w+)/g)].map(([, tag]) => tag);
      expect(new Set(tags)).toSatisfy((seen: Set<string>) =>
        [...seen].every((tag) => ['details', '/details', 'summary', '/summary', 'br'].includes(tag)),
      );
      expect(tags.filter((tag) => tag === 'details').length).toBe(tags.filter((tag) => tag === '/details').length);
      for (const table of text.split('\n\n').filter((block) => block.startsWith('| '))) {
        const widths = table.split('\n').map((row) => row.replaceAll('\\|', '').split('|').length);
        expect(new Set(widths).size).toBe(1);
      }
    },
  );

  test('shows names from outside unchanged, whatever they contain', () => {
    const text = renderComparisonMarkdown(hostileOne);
    expect(text).toContain('evil\\|pipe \\`tick\\` \\*\\*bold\\*\\* &lt;/system-out&gt;\\]\\]&gt;&lt;img src=x');
    expect(text).not.toMatch(/@team|#12|[^\P{C}\n\u200b]/u);
  });
});
