import pLimit from 'p-limit';
import { ChatLoadError, messageOf } from '../../base/errors.ts';
import { printable, printableTexts } from '../../base/printable.ts';
import { readPageAssets } from '../../edge/path-in-package.ts';
import { addressOf, newToken } from '../../edge/live/open-guarded.ts';
import { servePages, type PageAnswer } from '../../edge/live/serve-pages.ts';
import { isLoopbackHost } from '../../edge/small-server.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { assembleErrorPage, assembleServedPage, policyOf } from '../../report/page/assemble.ts';
import { ResultFolders } from './result-folders.ts';
import { runsUnderWay } from './runs-under-way.ts';
import { dirname } from 'node:path';
import { trendDefaults } from '../../compare/trend/trend-options.ts';
import type { SideName } from '../../compare/document/side.ts';
import { folderFile } from '../../edge/disk/find-results.ts';
import { comparedKind, type SideSources } from '../compare/read-side.ts';
import {
  readCompared,
  defaultJudging,
  performCapacityComparison,
  performComparison,
} from '../compare/perform-comparison.ts';
import { renderPage } from '../render-document.ts';
import { renderFilesAsPage } from '../report.ts';
import { performTrend } from '../trend/perform-trend.ts';

interface Wanted {
  folders: readonly string[];
  host: string;
  /** 0: a free one. */
  port: number;
}

/** The results browser, as long as it is served. */
export interface OpenUi {
  /** A secret of this process. */
  address: string;
  /** Whether others than this machine can reach it. */
  isOpen: boolean;
  close: () => void;
}

/**
 * Serves the results in folders. `report`: takes what was thrown and is our fault. Throws a usage error for a folder that
 * cannot be read, and an environment error where it cannot listen.
 */
export async function openUi({ folders, host, port }: Wanted, report: (thrown: unknown) => void): Promise<OpenUi> {
  const answer = await answering(new ResultFolders(folders), report);
  const token = newToken();
  const guard = { host: host === 'localhost' ? '127.0.0.1' : host, port, token };
  const served = await servePages(guard, answer).catch((thrown: unknown) => {
    throw cannotListen({ host, port }, thrown);
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
  const texts = { title: 'chat-load: results', noScript: 'This page lists results by a script: allow it to run.' };
  const oneByOne = pLimit(1);
  const listPage = assembleServedPage(list, texts);
  const refuse = (thrown: unknown): PageAnswer => {
    if (!(thrown instanceof ChatLoadError)) report(thrown);
    return errorAnswer(thrown, list.style);
  };
  const answer: Answer = async (name, query) => {
    if (name === '') return { status: 200, page: listPage };
    if (name === 'results') return answerList(folders, query.get('known'));
    if (name === 'runs') return answerRuns(folders);
    const make = documentPages.get(name);
    // One after another: a page of large files takes much memory.
    const html = make && (await oneByOne(() => folders.steady(() => make(folders, query))));
    return html === undefined ? undefined : { status: 200, page: { html, policy: policyOf(document) } };
  };
  return (name, query) => answer(name, query).catch(refuse);
}

async function answerList(folders: ResultFolders, known: string | null): Promise<PageAnswer> {
  const data = await folders.list();
  return data.version === known ? { status: 204 } : { status: 200, data: printableTexts(data) };
}

async function answerRuns(folders: ResultFolders): Promise<PageAnswer> {
  const { rows } = await folders.list();
  const ended = new Set(rows.map(({ run }) => run));
  return { status: 200, data: printableTexts(runsUnderWay(folders.folders, Date.now(), ended)) };
}

function errorAnswer(thrown: unknown, style: string): PageAnswer {
  const isOurs = !(thrown instanceof ChatLoadError);
  const told = isOurs
    ? { message: `This is a bug in chat-load ${toolVersion}: ${messageOf(thrown)}`, hint: 'The terminal shows more.' }
    : { message: thrown.message, hint: thrown.hint };
  const page = assembleErrorPage({ message: printable(told.message), hint: printable(told.hint) }, style);
  return { status: isOurs ? 500 : 400, page };
}

function cannotListen({ host, port }: Omit<Wanted, 'folders'>, thrown: unknown): ChatLoadError {
  const isInUse = thrown instanceof Error && 'code' in thrown && thrown.code === 'EADDRINUSE';
  return new ChatLoadError('environment', {
    message: `The results browser cannot listen on ${host}, port ${String(port)}: ${isInUse ? 'the port is in use' : messageOf(thrown)}.`,
    hint: 'Give another port with --port (0 picks a free one), or another --host.',
    cause: thrown,
  });
}

/** Makes a page as the commands do that write it; throws as they do. */
type MakePage = (folders: ResultFolders, query: URLSearchParams) => Promise<string | undefined>;

/** The pages that can be opened, by their names: those that `report`, `compare` and `trend` write with `--format html`. */
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
