import { createHash } from 'node:crypto';
import type { Page } from './page.ts';

/** The code of a page and its looks, as built. */
export interface PageAssets {
  script: string;
  style: string;
}

/**
 * A page as one HTML file that asks the network for nothing: its policy allows its own script and style alone, by
 * their hashes. Texts of the page stay texts: they are data to the script, which writes them as such.
 */
export function assemblePage(page: Page, { script, style }: PageAssets): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf({ script, style })}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(`${page.title}: ${page.verdict.sentence}`)}</title>
<style>${style}</style>
</head>
<body>
<div id="page"><noscript><p>${escapeHtml(page.verdict.sentence)}</p><p>The script in this file draws its charts and tables: allow it to run.</p></noscript></div>
<script type="application/json" id="data">${scriptData(page)}</script>
<script>${script}</script>
</body>
</html>
`;
}

/**
 * The page of a run under way: the same code and looks, without data, which it asks its own server for, and nothing
 * else. `policy` is to be sent as the header too.
 */
export function assembleLivePage({ script, style }: PageAssets): { html: string; policy: string } {
  const policy = `${policyOf({ script, style })}; connect-src 'self'`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>chat-load: a run under way</title>
<style>${style}</style>
</head>
<body>
<div id="page"><noscript><p>This page follows a run by a script: allow it to run.</p></noscript></div>
<script>${script}</script>
</body>
</html>
`;
  return { html, policy };
}

/** Nothing but what is in the file. Pictures are made by the page itself, for charts that are copied. */
function policyOf({ script, style }: PageAssets): string {
  return [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

const hashOf = (content: string): string => `sha256-${createHash('sha256').update(content).digest('base64')}`;

/** JSON that no text can end early. */
function scriptData(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text between tags, or in a quoted attribute. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? '');
}
