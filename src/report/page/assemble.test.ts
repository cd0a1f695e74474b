import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPageAssets } from '../../edge/path-in-package.ts';
import { assemblePage } from './assemble.ts';
import type { Page } from './page.ts';

const assets = { script: 'document.title += "é";', style: 'p { color: red }' };
const page: Page = {
  kind: 'result',
  title: 'peak',
  facts: [],
  verdict: { state: 'passed', sentence: 'PASSED', notes: [] },
  sections: [],
  timelines: [],
};
const titled = (title: string): string => assemblePage({ ...page, title }, assets);
const hostile = `</script></title><!--<script><img src=http://evil.test/ onerror="alert(1)"> & "q" 'q'`;

/** Returns the elements of a tag, with their attributes and contents. */
const elements = (html: string, tag: string): { attributes: string; content: string }[] =>
  [...html.matchAll(new RegExp(`<${tag}([^>]*)>([^]*?)</${tag}>`, 'g'))].map(([, attributes = '', content = '']) => ({
    attributes,
    content,
  }));
const hashOf = (content: string): string => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
const policyOf = (html: string): Map<string, string> => {
  const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(html) ?? [];
  return new Map(policy.split('; ').map((each) => [each.replace(/ .*/, ''), each.replace(/^\S+ /, '')]));
};

describe('the policy of a page', async () => {
  const built = assemblePage(page, await readPageAssets());

  test.each([
    ['as built', built],
    ['of any script and style', titled('peak')],
  ])('allows its own script and style alone, by their hashes, %s', (_, html) => {
    const [style] = elements(html, 'style');
    const script = elements(html, 'script').find(({ attributes }) => attributes === '');
    const policy = policyOf(html);
    expect(policy.get('default-src')).toBe("'none'");
    expect(policy.get('script-src')).toBe(hashOf(script?.content ?? ''));
    expect(policy.get('style-src')).toBe(hashOf(style?.content ?? ''));
    expect(html.indexOf('Content-Security-Policy')).toBeLessThan(html.indexOf('<style'));
  });

  test('is a second protection: the page itself contains no address to load from', () => {
    expect(built).not.toMatch(/(?:src|href|action)\s*=\s*["']?\s*(?:https?:)?\/\//i);
    expect(elements(built, 'style')[0]?.content).not.toMatch(/@import|url\(/i);
    expect(built).not.toMatch(/\b(?:fetch|XMLHttpRequest|WebSocket|sendBeacon|importScripts)\b/);
  });

  test('and everything besides the data takes at most 300 KB', () => {
    expect(Buffer.byteLength(built) - JSON.stringify(page).length).toBeLessThan(300_000);
  });
});

describe('texts of a page', () => {
  test('stay text in its title, and in the fallback without scripts', () => {
    const html = assemblePage({ ...page, title: hostile, verdict: { ...page.verdict, sentence: hostile } }, assets);
    expect(elements(html, 'title')).toHaveLength(1);
    const [title] = elements(html, 'title');
    expect(title?.content).not.toMatch(/[<>]/);
    expect(title?.content).toContain('&lt;/script&gt;&lt;/title&gt;&lt;!--');
    expect(html).not.toContain('<img');
  });

  test('cannot end the data, and are the same when it is read', () => {
    const html = titled(hostile);
    expect(elements(html, 'script')).toHaveLength(2);
    const [data] = elements(html, 'script');
    expect(data?.attributes).toContain('application/json');
    expect(data?.content).not.toContain('<');
    expect(JSON.parse(data?.content ?? '')).toEqual({ ...page, title: hostile });
  });

  test('are the same when they are read, whatever they are', () => {
    const unit = fc.constantFrom(
      '<',
      '/',
      'script',
      '>',
      '!--',
      '&',
      '"',
      '\\',
      '\n',
      '\u2028',
      '\u0000',
      '😀',
      '\ud800',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), (title) => {
        const [data] = elements(titled(title), 'script');
        expect(data?.content).not.toContain('<');
        expect(JSON.parse(data?.content ?? '')).toEqual({ ...page, title });
      }),
    );
  });
});
