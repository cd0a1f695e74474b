import { renderComparisonMarkdown, renderResultMarkdown, written } from '../support/render-outline.ts';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { describe, expect, test } from 'vitest';
import { buildTrend } from '../../src/compare/trend/build-trend.ts';
import { trendDefaults } from '../../src/compare/trend/trend-options.ts';
import { writeMarkdown } from '../../src/report/outline/write-text.ts';
import { trendOutline } from '../../src/report/trend/trend-outline.ts';
import { escapeMarkdown } from '../../src/report/words/markdown-text.ts';
import { poison } from '../support/poison.ts';
import { featureSamples } from '../support/feature-samples.ts';
import { latencyRule, nightly } from '../support/sample-nights.ts';
import { notComparable, regressed } from '../support/synthetic-comparison.ts';
import { finishedRun, resultOf } from '../support/synthetic-result.ts';
import { playedBy, workersOf } from '../support/synthetic-workers.ts';

/**
 * A page as GitHub renders it from Markdown, before mentions and emoji are linked; HTML is kept, so that tests detect
 * it.
 */
const pageOf = (markdown: string): string =>
  micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });

const tagsOf = (page: string): string[] => page.match(/<\/?[a-z][^>]*>/gi) ?? [];

const entities: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };
/** The visible text, without zero-width characters. */
const textOf = (page: string): string =>
  page
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:amp|lt|gt|quot);/g, (entity) => entities[entity] ?? entity)
    .replaceAll('\u200b', '')
    .trim();

/** Each would become something else than text. */
const hostile = [
  ...[
    '**bold** __b__',
    '_i_ *i*',
    '~~gone~~ ~gone~',
    '`code` ``code``',
    '[link](http://evil.test/)',
    '![image](x.png)',
  ],
  ...['[a][b]', '[x]: http://evil.test/', '[^1] [^1]: note', '<img src=x onerror=x()>', '</details><b>', '<!-- x -->'],
  ...['<http://evil.test/>', '&lt;b&gt; &#42;x&#42;', 'https://evil.test/a?b=c', 'http://evil.test', 'www.evil.test/x'],
  ...['WWW.EVIL.TEST', 'me@evil.test', 'mailto:me@evil.test', 'xmpp:me@evil.test/x', '(https://evil.test)'],
  ...[
    '# heading',
    '## heading ##',
    'x ===',
    '> quote',
    '- item',
    '+ item',
    '* item',
    '1. item',
    '1) item',
    '- [ ] task',
  ],
  ...[
    '---',
    '***',
    '```js',
    '~~~',
    '| a | b |',
    '<details>',
    '<script>alert(1)</script>',
    'a \\| b \\',
    '$x$',
    '\\*x\\*',
  ],
];

describe('on a page, a text from outside is text', () => {
  test.each(hostile)('%j, in a paragraph, a list and a cell', (text) => {
    const escaped = escapeMarkdown(text);
    for (const [before, after] of [
      ['', ''],
      ['- ', ''],
      ['| a |\n| --- |\n| ', ' |'],
      ['of ', ' and others'],
    ] as const) {
      const [page, plain] = [escaped, 'plain'].map((each) => pageOf(before + each + after)) as [string, string];
      expect(tagsOf(page)).toEqual(tagsOf(plain));
      expect(textOf(page)).toBe(textOf(plain).replace('plain', () => text.replace(/\s+/g, ' ')));
    }
  });
});

/**
 * Patterns that GitHub turns into links or pictures: the expressions of its own filters (jch/html-pipeline: mentions,
 * emoji) and the reference syntax in its documentation (people and teams, issues, commits, emoji).
 */
const live = /(?:^|\W)@(?=[a-z\d])|(?:#|GH-)\d+\b|:[\w+-]+:|\b[\da-f]{7,40}\b/i;

test.each(['@team', 'cc @org/team', '#12', 'o/r#12', 'GH-12', ':tada:', ':+1:', ':man_dancing:', 'at 0123abcdef'])(
  '%j is not a pattern of GitHub in a page',
  (text) => {
    expect(text).toMatch(live);
    expect(pageOf(escapeMarkdown(text)).replace(/<[^>]*>/g, '')).not.toMatch(live);
  },
);

const warning = { code: 'x', message: 'so', remedy: 'do' };
const run = {
  ...playedBy(resultOf(finishedRun({ sessions: 20, gates: { 'turn.p95': '< 2s' } })), workersOf(3)),
  warnings: [warning],
};
const trend = buildTrend({
  runs: nightly(30, (night) => ({ 'turn.ok.p99': night < 15 ? 200 : 300 })),
  rules: [latencyRule],
  toolVersion: '0',
  skipped: [{ file: 'f', problem: 'p' }],
  warnings: ['w'],
  ...trendDefaults,
});

const reports: Readonly<Record<string, (change: (text: string) => string) => string>> = {
  'a run': (change) => renderResultMarkdown(poison(run, change)),
  'a comparison': (change) => renderComparisonMarkdown(poison(regressed, change)),
  'a refused comparison': (change) => renderComparisonMarkdown(poison(notComparable, change)),
  ...Object.fromEntries(
    featureSamples.map(({ name, report, document }) => [
      name,
      (change: (text: string) => string) => written(report, poison(document, change) as never, { format: 'markdown' }),
    ]),
  ),
  'a trend': (change) => writeMarkdown(trendOutline(poison(trend, change))),
};

describe.each(Object.entries(reports))('the Markdown of %s', (_, render) => {
  test.each(hostile)('has nothing live of %j', (text) => {
    const page = pageOf(render((own) => `${own} ${text}`));
    expect(tagsOf(page)).toEqual(tagsOf(pageOf(render((own) => `${own} plain`))));
    expect(textOf(page)).toContain(text.replace(/\s+/g, ' '));
  });
});
