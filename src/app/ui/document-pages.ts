import { dirname } from 'node:path';
import { trendDefaults } from '../../compare/trend/build-trend.ts';
import type { SideName } from '../../compare/document/side.ts';
import { folderFile } from '../../edge/disk/find-results.ts';
import { comparedKind } from '../compare/compared-kind.ts';
import { readCompared } from '../compare/compared-results.ts';
import { defaultJudging } from '../compare/judge-sides.ts';
import { performCapacityComparison } from '../compare/perform-capacity-comparison.ts';
import { performComparison } from '../compare/perform-comparison.ts';
import type { SideSources } from '../compare/read-side.ts';
import { renderPage } from '../render-document.ts';
import { renderFilesAsPage } from '../report.ts';
import { performTrend } from '../trend/perform-trend.ts';
import type { ResultFolders } from './result-folders.ts';

/** Makes a page as the commands do that write it; throws as they do. */
type MakePage = (folders: ResultFolders, query: URLSearchParams) => Promise<string | undefined>;

/** The pages that can be opened, by their names: those that `report`, `compare` and `trend` write with `--format html`. */
export const documentPages: ReadonlyMap<string, MakePage> = new Map<string, MakePage>([
  ['report', async (folders, query) => renderFilesAsPage(await folders.pathsOf(query.getAll('result')))],
  ['compare', comparisonPage],
  ['trend', trendPage],
]);

async function comparisonPage(folders: ResultFolders, query: URLSearchParams): Promise<string | undefined> {
  const side = async (name: SideName): Promise<SideSources> => {
    const sources = await folders.pathsOf(query.getAll(name));
    return { name, sources, label: undefined, folder: '' };
  };
  const [base, head] = [await side('base'), await side('head')];
  if ((await comparedKind({ base, head })) === 'capacity') {
    const capacities = await performCapacityComparison({ base, head }, { force: false, failOnInconclusive: false });
    return renderPage('chat-load/capacity-comparison', [capacities]);
  }
  const history = historyBeside(base.sources[0]);
  const comparison = await performComparison({ base, head }, { ...defaultJudging, history });
  return renderPage('chat-load/comparison', [comparison], { runs: await readCompared(comparison) });
}

/** The history beside the results of the base, which the comparison finds by itself; `null`: none, or one that is elsewhere. */
function historyBeside(file: string | undefined): null | undefined {
  const isThere = file !== undefined && folderFile(dirname(file), 'history.json').refused === undefined;
  return isThere ? undefined : null;
}

async function trendPage(folders: ResultFolders, query: URLSearchParams): Promise<string | undefined> {
  const metrics = query.getAll('metric');
  const { trend } = performTrend({
    ...folders.filesOf(query.get('folder') ?? '0'),
    ...trendDefaults,
    scenario: query.get('scenario') ?? undefined,
    label: query.get('label') ?? undefined,
    metrics: metrics.length === 0 ? undefined : metrics,
    failOn: undefined,
    recent: 7,
  });
  return renderPage('chat-load/trend', [trend]);
}
