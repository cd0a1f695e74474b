import type { Page as Tab } from 'playwright-core';

/** The texts of all elements that a selector finds, with single spaces. */
export function textsOf(tab: Tab, selector: string): Promise<string[]> {
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
