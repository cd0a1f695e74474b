import { useEffect, useMemo } from 'preact/hooks';
import type { Block, Page, Section, Verdict } from '../report/page/page.ts';
import { BlockView } from './block-view.tsx';
import { TimeAxis, TimeAxisContext } from './chart/time-axis.tsx';
import { endOf } from './chart/aligned.ts';

/** A page. Charts over time share one axis and one cursor. */
export function PageView({ page }: { page: Page }) {
  const axis = useMemo(() => new TimeAxis(), []);
  axis.endMs = Math.max(1, ...page.timelines.map(endOf));
  useEffect(openFoldsOnPaper, []);
  return (
    <TimeAxisContext.Provider value={axis}>
      <header class="head">
        <h1>{page.title}</h1>
        <VerdictView verdict={page.verdict} />
        <dl class="facts">
          {page.facts.map(({ name, text }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </header>
      {page.sections.length < 2 ? null : (
        <nav class="contents" aria-label="Sections">
          {page.sections.map(({ id, title }) => (
            <a key={id} href={`#${id}`}>
              {title}
            </a>
          ))}
        </nav>
      )}
      <main class="sections">
        {page.sections.map((section) => (
          <SectionView key={section.id} section={section} page={page} />
        ))}
      </main>
    </TimeAxisContext.Provider>
  );
}

/** Opens folds while the page is printed; returns the function that stops it. */
function openFoldsOnPaper(): () => void {
  let opened: HTMLDetailsElement[] = [];
  const open = (): void => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>('details.fold:not([open])')];
    for (const fold of opened) fold.open = true;
  };
  const close = (): void => {
    for (const fold of opened.splice(0)) fold.open = false;
  };
  window.addEventListener('beforeprint', open);
  window.addEventListener('afterprint', close);
  return () => {
    window.removeEventListener('beforeprint', open);
    window.removeEventListener('afterprint', close);
  };
}

const signs: Readonly<Record<Verdict['state'], string>> = {
  passed: '✓',
  doubtful: '!',
  failed: '✗',
  invalid: '⚠',
  running: '▶',
  neutral: '•',
};

function VerdictView({ verdict: { state, sentence, notes } }: { verdict: Verdict }) {
  return (
    <div class="verdict" data-state={state} role={state === 'running' ? undefined : 'status'}>
      <p class="sentence">
        <span class="sign" aria-hidden="true">
          {signs[state]}
        </span>
        {sentence}
      </p>
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
    </div>
  );
}

function SectionView({ section: { id, title, lead, blocks }, page }: { section: Section; page: Page }) {
  const view = (block: Block, index: number) => (
    <BlockView key={'id' in block ? block.id : index} block={block} heading={title} page={page} />
  );
  return (
    <section id={id} class={blocks.every(isNarrow) ? 'narrow' : undefined} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {lead === '' ? null : <p class="lead">{lead}</p>}
      {groupTables(blocks).map((group, index) =>
        group.length === 1 ? (
          group.map((block) => view(block, index))
        ) : (
          <div key={index} class="tables">
            {group.map(view)}
          </div>
        ),
      )}
    </section>
  );
}

/** Reports whether a block fits into a column of a wide page. */
function isNarrow(block: Block): boolean {
  if (block.type === 'prose') return block.lines.every(({ length }) => length <= 90);
  if (block.type !== 'table') return false;
  return [block.columns.map(({ head }) => head), ...block.rows.map(({ cells }) => cells)].every(
    (cells) => cells.join('  ').length <= 72,
  );
}

/** Groups consecutive open tables, which share rows of the page; any other block is a group of its own. */
function groupTables(blocks: readonly Block[]): Block[][] {
  const isOpenTable = (block: Block | undefined): boolean => block?.type === 'table' && block.isFolded !== true;
  return blocks.reduce<Block[][]>((groups, block) => {
    const last = groups.at(-1);
    if (!isOpenTable(block) || !isOpenTable(last?.[0])) return [...groups, [block]];
    last?.push(block);
    return groups;
  }, []);
}
