import type { Page as Tab } from 'playwright-core';

/** Resolves when the page has drawn the effects of the last input, in frames and in tasks that frames start. */
export function settled(tab: Tab): Promise<void> {
  return tab.evaluate(
    'new Promise((done) => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => setTimeout(done)))))',
  );
}

/** Returns the texts of all elements that a selector finds, with single spaces, after pending drawing. */
export async function textsOf(tab: Tab, selector: string): Promise<string[]> {
  await settled(tab);
  return tab.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map(${textOf})`);
}

/** Returns all tables with a caption, in order. */
export function tablesOf(tab: Tab): Promise<{ caption: string; rows: string[][] }[]> {
  return tab.evaluate(`[...document.querySelectorAll('table:has(caption)')].map((table) => ({
    caption: (${textOf})(table.caption),
    rows: [...table.tBodies[0].rows].map((row) => [...row.cells].map(${textOf})),
  }))`);
}

const textOf = String.raw`(element) => element.textContent.replaceAll(/\s+/g, ' ').trim()`;
