import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import sections from '../.pages/navigation.json' with { type: 'json' };

/** Returns the anchor that GitHub derives from a heading: links to it work there too. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const firstOf = (item) => item.link ?? firstOf(item.items[0]);

export default {
  title: 'chat-load',
  description: 'Load and soak testing for chat agents behind an HTTP API.',
  // No icon, and no request for one.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  srcDir: '.pages',
  outDir: 'dist',
  cacheDir: '.pages/cache',
  markdown: {
    anchor: { slugify },
    attrs: { disable: true },
    html: false,
    languageAlias: { mjs: 'js', jsonl: 'json' },
    config: (md) => {
      md.disable('emoji');
      const render = md.renderer.render.bind(md.renderer);
      // Vue would evaluate templates of scenarios.
      md.renderer.render = (...args) => render(...args).replaceAll('{{', '{&#123;');
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: sections.map((section) => ({ text: section.text, link: firstOf(section) })),
    sidebar: [{ text: 'Overview', link: '/' }, ...sections],
    docFooter: { prev: false, next: false },
  },
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  transformHead: ({ page, siteData }) => [
    ['link', { rel: 'alternate', type: 'text/markdown', href: `${siteData.base}${page}` }],
  ],
  /** Adds the Markdown form of every page, which llms.txt lists. */
  buildEnd: async ({ srcDir, outDir, pages }) => {
    await Promise.all(pages.map((page) => cp(join(srcDir, page), join(outDir, page))));
  },
};
