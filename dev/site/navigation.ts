/** A page in the navigation of the site. */
interface Entry {
  text: string;
  /** Path without its extension. */
  link: string;
}

interface Group {
  text: string;
  collapsed: boolean;
  items: Entry[];
}

/** A section of docs/README.md. */
export interface Section {
  text: string;
  collapsed: boolean;
  items: (Entry | Group)[];
}

/** Returns the label of a page: its title up to a colon. */
export function labelOf(page: string): string {
  return (/^# (.*?)(?::.*)?$/m.exec(page)?.[1] ?? '').replaceAll('`', '');
}

/** Returns the navigation of the site: the lists of docs/README.md. A list item that opens with a text is a group. */
export function navigation(overview: string, titleOf: (path: string) => string): Section[] {
  return overview
    .split(/^## /m)
    .slice(1)
    .map((part, at) => ({
      text: part.slice(0, part.indexOf('\n')),
      collapsed: at > 1,
      items: part
        .split(/^- /m)
        .slice(1)
        .flatMap((item): Section['items'] => {
          const items = [...item.matchAll(/\]\(([^)#]*)\.md\)/g)].map(([, path = '']) => ({
            text: titleOf(`${path}.md`),
            link: `/${path}`,
          }));
          const [, text] = /^([^[:]+): \[/.exec(item) ?? [];
          return text === undefined ? items : [{ text, collapsed: at > 1, items }];
        }),
    }));
}
