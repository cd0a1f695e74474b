import { createHash } from 'node:crypto';
import type { Page } from './page.ts';

export interface PageAssets {
  script: string;
  style: string;
}

/**
 * Builds a page as one HTML file that makes no network requests: its policy allows only its own script and style, by
 * their hashes. Texts of the page cannot become markup: they are data for the script, which writes them as text.
 */
export function assemblePage(page: Page, { script, style }: PageAssets): string {
  const { sentence } = page.verdict;
  const body = `<div id="page"><noscript><p>${escapeHtml(sentence)}</p><p>Charts and tables are drawn by the script in this file: enable JavaScript.</p></noscript></div>
<script type="application/json" id="data">${scriptData(page)}</script>
<script>${script}</script>`;
  return htmlOf({ title: `${page.title}: ${sentence}`, style, policy: policyOf({ script, style }), body });
}

export function assembleLivePage(assets: PageAssets): ServedPage {
  return assembleServedPage(assets, {
    title: 'chat-load: run in progress',
    noScript: 'This page follows a run with a script: enable JavaScript.',
  });
}

/** A served page. `policy` must also be sent as a header. */
interface ServedPage {
  html: string;
  policy: string;
}

/** Builds a page without data, which it requests from its own server and from nowhere else. */
export function assembleServedPage(
  { script, style }: PageAssets,
  { title, noScript }: { title: string; noScript: string },
): ServedPage {
  const policy = `${policyOf({ script, style })}; connect-src 'self'`;
  const body = `<div id="page"><noscript><p>${escapeHtml(noScript)}</p></noscript></div>
<script>${script}</script>`;
  return { html: htmlOf({ title, style, policy, body }), policy };
}

/** Builds the page of an error with the terminal's texts, which may be untrusted. */
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

/** Returns the policy of a page that loads nothing beyond its file. It makes `data:` images itself, for copied charts. */
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

/** Serializes JSON so that no text in it can end the script element. */
function scriptData(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for use between tags or in a quoted attribute. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? '');
}
