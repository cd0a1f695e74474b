import pLimit from 'p-limit';
import { ChatLoadError, messageOf } from '../../base/errors.ts';
import { printable, printableTexts } from '../../base/printable.ts';
import { readPageAssets } from '../../edge/path-in-package.ts';
import { addressOf, newToken } from '../../edge/live/open-guarded.ts';
import { servePages, type PageAnswer } from '../../edge/live/serve-pages.ts';
import { isLoopbackHost } from '../../edge/small-server.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { assembleErrorPage, assembleServedPage, policyOf } from '../../report/page/assemble.ts';
import { documentPages } from './document-pages.ts';
import { ResultFolders } from './result-folders.ts';
import { runsUnderWay } from './runs-under-way.ts';

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
