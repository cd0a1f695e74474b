import pLimit from 'p-limit';
import { ChatLoadError, messageOf, environmentError } from '../../base/errors.ts';
import { printable, printableTexts } from '../../base/printable.ts';
import { readPageAssets } from '../../edge/path-in-package.ts';
import { addressOf, newToken } from '../../edge/live/open-guarded.ts';
import { servePages, type PageAnswer } from '../../edge/live/serve-pages.ts';
import { isLoopbackHost } from '../../edge/small-server.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { assembleErrorPage, assembleServedPage, policyOf } from '../../report/page/assemble.ts';
import { ResultFolders, runsUnderWay } from './result-folders.ts';
import { dirname } from 'node:path';
import { trendDefaults } from '../../compare/trend/trend-options.ts';
import type { SideName } from '../../compare/document/side.ts';
import { folderFile } from '../../edge/disk/find-results.ts';
import { comparedKind } from '../compare/compared-kind.ts';
import type { AnyComparison } from '../compare/compared-kinds.ts';
import { readCompared, defaultJudging, performComparison } from '../compare/perform-comparison.ts';
import type { SideSources } from '../compare/read-items.ts';
import { renderPage, renderFilesAsPage } from '../report.ts';
import { performTrend } from '../trend/perform-trend.ts';

export interface OpenUi {
  /** Address, a secret of this process. */
  address: string;
  /** True if other machines can reach it. */
  isOpen: boolean;
  close: () => void;
}

/**
 * Serves the results in folders; port 0 selects a free port, and `report` receives bugs. Throws a usage error for an
 * unreadable folder, and an environment error if it cannot listen.
 */
export async function openUi(
  { folders, host, port }: { folders: readonly string[]; host: string; port: number },
  report: (thrown: unknown) => void,
): Promise<OpenUi> {
  const answer = await answering(new ResultFolders(folders), report);
  const token = newToken();
  const guard = { host: host === 'localhost' ? '127.0.0.1' : host, port, token };
  const served = await servePages(guard, answer).catch((thrown: unknown) => {
    const isInUse = thrown instanceof Error && 'code' in thrown && thrown.code === 'EADDRINUSE';
    throw environmentError(
      `The results browser cannot listen on ${host}, port ${String(port)}: ${isInUse ? 'the port is in use' : messageOf(thrown)}.`,
      'Use another port with --port (0 selects a free port), or another --host.',
      thrown,
    );
  });
  return {
    address: addressOf({ ...guard, port: served.port }),
    isOpen: !isLoopbackHost(host),
    close: served.close,
  };
}

type Answer = (name: string, query: URLSearchParams) => Promise<PageAnswer | undefined>;

async function answering(folders: ResultFolders, report: (thrown: unknown) => void): Promise<Answer> {
  const [list, document] = [await readPageAssets('ui'), await readPageAssets()];
  const texts = { title: 'chat-load: results', noScript: 'This page needs JavaScript: allow its script to run.' };
  const oneByOne = pLimit(1);
  const listPage = assembleServedPage(list, texts);
  const refuse = (thrown: unknown): PageAnswer => {
    if (!(thrown instanceof ChatLoadError)) report(thrown);
    return errorAnswer(thrown, list.style);
  };
  const answer: Answer = async (name, query) => {
    if (name === '') return { status: 200, page: listPage };
    if (name === 'results') {
      const data = await folders.list();
      return data.version === query.get('known') ? { status: 204 } : { status: 200, data: printableTexts(data) };
    }
    if (name === 'runs') {
      const { rows } = await folders.list();
      const ended = new Set(rows.map(({ run }) => run));
      return { status: 200, data: printableTexts(runsUnderWay(folders.folders, Date.now(), ended)) };
    }
    const make = documentPages.get(name);
    // Sequentially, because a page of large files needs much memory.
    const html = make && (await oneByOne(() => folders.steady(() => make(folders, query))));
    return html === undefined ? undefined : { status: 200, page: { html, policy: policyOf(document) } };
  };
  return (name, query) => answer(name, query).catch(refuse);
}

function errorAnswer(thrown: unknown, style: string): PageAnswer {
  const isOurs = !(thrown instanceof ChatLoadError);
  const error = isOurs
    ? { message: `This is a bug in chat-load ${toolVersion}: ${messageOf(thrown)}`, hint: 'The terminal shows more.' }
    : { message: thrown.message, hint: thrown.hint };
  const page = assembleErrorPage({ message: printable(error.message), hint: printable(error.hint) }, style);
  return { status: isOurs ? 500 : 400, page };
}

type MakePage = (folders: ResultFolders, query: URLSearchParams) => Promise<string | undefined>;

/** Pages by name: the HTML reports of `report`, `compare` and `trend`. */
const documentPages: ReadonlyMap<string, MakePage> = new Map<string, MakePage>([
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
  const other = await comparedKind({ base, head });
  if (other !== undefined) {
    const { compare } = await other.load();
    const { comparison } = await compare({ base, head }, { force: false, failOnInconclusive: false });
    return renderPage<AnyComparison['kind']>(comparison.kind, [comparison]);
  }
  const history = historyNextTo(base.sources[0]);
  const comparison = await performComparison({ base, head }, { ...defaultJudging, history });
  return renderPage('chat-load/comparison', [comparison], { runs: await readCompared(comparison) });
}

/** Returns `undefined` if the comparison can find a history next to the base results, otherwise `null`. */
function historyNextTo(file: string | undefined): null | undefined {
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
