import type { Page as Tab } from 'playwright-core';

/** Resolves when the page has drawn what came of the last input: it draws in frames, and tasks that these start. */
export function settled(tab: Tab): Promise<void> {
  return tab.evaluate(
    'new Promise((done) => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => setTimeout(done)))))',
  );
}

/** The texts of all elements that a selector finds, with single spaces, when the page has settled. */
export async function textsOf(tab: Tab, selector: string): Promise<string[]> {
  await settled(tab);
  return tab.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map(${textOf})`);
}

/** All tables with a caption, in their order. */
export function tablesOf(tab: Tab): Promise<{ caption: string; rows: string[][] }[]> {
  return tab.evaluate(`[...document.querySelectorAll('table:has(caption)')].map((table) => ({
    caption: (${textOf})(table.caption),
    rows: [...table.tBodies[0].rows].map((row) => [...row.cells].map(${textOf})),
  }))`);
}

const textOf = String.raw`(element) => element.textContent.replaceAll(/\s+/g, ' ').trim()`;
