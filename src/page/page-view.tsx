import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import type { Block, Page, Section, Verdict } from '../report/page/page.ts';
import { BlockView } from './block-view.tsx';
import { TimeAxis, TimeAxisContext } from './chart/time-axis.tsx';
import { endOf } from './chart/aligned.ts';
import { withUnits } from './chart/with-units.ts';
import { openFoldsAtHash, openFoldsOnPaper, useIsNarrow } from './folds.ts';

/** A page. Charts over time share one axis and one cursor. */
export function PageView({ page }: { page: Page }) {
  const axis = useMemo(() => new TimeAxis(), []);
  axis.endMs = Math.max(1, ...page.timelines.map(endOf));
  useEffect(openFoldsOnPaper, []);
  useEffect(openFoldsAtHash, []);
  const isNarrow = useIsNarrow();
  return (
    <TimeAxisContext.Provider value={axis}>
      <header class="head">
        <h1>{page.title}</h1>
        <VerdictView verdict={page.verdict} />
        <dl class="facts">
          {page.facts.map(({ name, text }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{withUnits(text)}</dd>
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
          <SectionView key={section.id} section={section} page={page} isNarrow={isNarrow} />
        ))}
      </main>
    </TimeAxisContext.Provider>
  );
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
        {withUnits(sentence)}
      </p>
      {notes.map((note) => (
        <p key={note} class="note">
          {withUnits(note)}
        </p>
      ))}
    </div>
  );
}

/** Reports whether a section is secondary and contains no bad news. */
const isFoldable = ({ isSecondary = false, blocks }: Section): boolean =>
  isSecondary && !blocks.some((block) => block.type === 'table' && block.rows.some(({ state }) => state === 'bad'));

interface SectionProps {
  section: Section;
  page: Page;
  isNarrow: boolean;
}

/** A section; on a phone, a secondary one opens by its title. */
function SectionView({ section, page, isNarrow }: SectionProps) {
  const { id, title, lead, blocks } = section;
  // The heading of a section names its only table.
  const isOnly = blocks.filter((block) => 'id' in block || isOpenTable(block)).length === 1;
  const view = (block: Block, index: number) => (
    <BlockView
      key={'id' in block ? block.id : index}
      block={block}
      isNamed={isOnly || ('title' in block && block.title === title)}
      page={page}
    />
  );
  const heading = <h2 id={`${id}-title`}>{title}</h2>;
  const content = (
    <>
      {lead === '' ? null : <p class="lead">{withUnits(lead)}</p>}
      {groupTables(blocks).map((group, index) =>
        group.length === 1 ? (
          group.map((block) => view(block, index))
        ) : (
          <div key={index} class="tables">
            {group.map(view)}
          </div>
        ),
      )}
    </>
  );
  return (
    <section id={id} class={blocks.every(isNarrowBlock) ? 'narrow' : undefined} aria-labelledby={`${id}-title`}>
      {isFoldable(section) ? (
        <Fold isNarrow={isNarrow} summary={heading}>
          {content}
        </Fold>
      ) : (
        <>
          {heading}
          {content}
        </>
      )}
    </section>
  );
}

/** A fold that is open on a wide page; on a phone it is as its reader left it, closed at first. */
function Fold({
  isNarrow,
  summary,
  children,
}: {
  isNarrow: boolean;
  summary: ComponentChildren;
  children: ComponentChildren;
}) {
  const fold = useRef<HTMLDetailsElement>(null);
  const isOpen = useRef(false);
  // Constant: later changes are those of the effect and of the reader.
  const { current: opensFirst } = useRef(!isNarrow);
  useEffect(() => {
    const { current } = fold;
    if (current === null) return undefined;
    current.open = !isNarrow || isOpen.current;
    return () => {
      if (isNarrow) isOpen.current = current.open;
    };
  }, [isNarrow]);
  return (
    <details class="fold part" ref={fold} open={opensFirst}>
      <summary>{summary}</summary>
      <div class="content">{children}</div>
    </details>
  );
}

/** Reports whether a block fits into a column of a wide page. */
function isNarrowBlock(block: Block): boolean {
  if (block.type === 'prose') return block.lines.every(({ length }) => length <= 90);
  if (block.type !== 'table') return false;
  return [block.columns.map(({ head }) => head), ...block.rows.map(({ cells }) => cells)].every(
    (cells) => cells.join('  ').length <= 72,
  );
}

const isOpenTable = (block: Block | undefined): boolean => block?.type === 'table' && block.isFolded !== true;

/** Groups consecutive open tables, which share rows of the page; any other block is a group of its own. */
function groupTables(blocks: readonly Block[]): Block[][] {
  return blocks.reduce<Block[][]>((groups, block) => {
    const last = groups.at(-1);
    if (!isOpenTable(block) || !isOpenTable(last?.[0])) return [...groups, [block]];
    last?.push(block);
    return groups;
  }, []);
}
