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
  const { sentence } = page.verdict;
  const body = `<div id="page"><noscript><p>${escapeHtml(sentence)}</p><p>The script in this file draws its charts and tables: allow it to run.</p></noscript></div>
<script type="application/json" id="data">${scriptData(page)}</script>
<script>${script}</script>`;
  return htmlOf({ title: `${page.title}: ${sentence}`, style, policy: policyOf({ script, style }), body });
}

/** The page of a run under way. */
export function assembleLivePage(assets: PageAssets): ServedPage {
  return assembleServedPage(assets, {
    title: 'chat-load: a run under way',
    noScript: 'This page follows a run by a script: allow it to run.',
  });
}

/** A page as it is served. `policy` is to be sent as the header too. */
interface ServedPage {
  html: string;
  policy: string;
}

/** A page with the same looks, without data: it asks its own server for that, and for nothing else. */
export function assembleServedPage(
  { script, style }: PageAssets,
  { title, noScript }: { title: string; noScript: string },
): ServedPage {
  const policy = `${policyOf({ script, style })}; connect-src 'self'`;
  const body = `<div id="page"><noscript><p>${escapeHtml(noScript)}</p></noscript></div>
<script>${script}</script>`;
  return { html: htmlOf({ title, style, policy, body }), policy };
}

/** What went wrong, as the terminal says it. Texts may come from anywhere. */
export function assembleErrorPage({ message, hint }: { message: string; hint: string }, style: string): ServedPage {
  const policy = `default-src 'none'; style-src '${hashOf(style)}'; base-uri 'none'; form-action 'none'`;
  const body = `<main id="page" class="error">
<h1>error ${escapeHtml(message)}</h1>
<p>${escapeHtml(hint)}</p>
<p><a href="./">All results</a></p>
</main>`;
  return { html: htmlOf({ title: `chat-load: ${message}`, style, policy, body }), policy };
}

function htmlOf({
  title,
  style,
  policy,
  body,
}: Readonly<Record<'title' | 'style' | 'policy' | 'body', string>>): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** The policy of a page that asks for nothing but what is in its file. Pictures are made by the page itself, for charts that are copied. */
export function policyOf({ script, style }: PageAssets): string {
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
