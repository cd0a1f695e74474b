import { createWriteStream, rmSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { openConversations } from '../../src/edge/disk/dataset/open-conversations.ts';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import { planSession } from '../../src/plan/session-plan.ts';
import { fromFile } from '../../src/scenario/from-file.ts';
import type { Finding } from '../finding.ts';

const wholeBytes = 5e9;
const sessions = 20_000;

/** Measures a file of conversations: time of the first and second opening, memory, and cost per session. */
export async function measureDataset({
  folder,
  scale,
  report,
}: {
  folder: string;
  scale: number;
  report: (text: string) => void;
}): Promise<Finding[]> {
  const path = join(folder, 'talks.jsonl');
  try {
    const bytes = await writeTalks(path, wholeBytes * scale);
    const size = `${(bytes / 1e9).toFixed(2)} GB`;
    report(`written: ${size}`);
    const first = await measureOpening(path);
    report(`first opening: ${first.seconds.toFixed(1)} s`);
    const again = await measureOpening(path);
    const perSession = measureSessions(again.source);
    return [
      {
        what: `first opening of ${size}, ${String(again.source.count)} conversations`,
        value: first.seconds,
        unit: 's',
        atMost: 60 * scale + 1,
      },
      { what: 'additional peak memory meanwhile', value: first.megabytes, unit: 'MB' },
      { what: 'opening it again', value: again.seconds, unit: 's', atMost: 1 },
      {
        what: 'a session planned with all of its messages, drawn by seed',
        value: perSession.micros,
        unit: 'µs',
        atMost: 200,
      },
      {
        what: `additional memory after ${String(sessions)} of them`,
        value: perSession.megabytes,
        unit: 'MB',
        atMost: 100,
      },
    ];
  } finally {
    for (const each of [path, `${path}.chat-load-index`]) rmSync(each, { force: true });
  }
}

const words = 'where is my order it has not come yet please look what the state of it is and tell me thank you'.split(
  ' ',
);

/** Writes conversations of 1 to 9 user turns of about the lengths of a support chat. Returns the size in bytes. */
async function writeTalks(path: string, atLeast: number): Promise<number> {
  const stream = createWriteStream(path);
  const block = Array.from({ length: 2000 }, (_, index) => `${talk(index)}\n`).join('');
  let bytes = 0;
  while (bytes < atLeast) {
    bytes += Buffer.byteLength(block);
    if (!stream.write(block)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
  return bytes;
}

function talk(index: number): string {
  const say = (role: string, length: number, from: number) => ({
    role,
    content: Array.from({ length }, (_, at) => words[(from + at * 7) % words.length]).join(' '),
  });
  const turns = Array.from({ length: (index % 9) + 1 }, (_, turn) => [
    say('user', 5 + ((index + turn) % 30), index),
    say('assistant', 30 + ((index * 3 + turn) % 60), index + turn),
  ]);
  return JSON.stringify({ id: String(index), language: 'en', messages: turns.flat() });
}

async function measureOpening(path: string) {
  const before = process.memoryUsage.rss();
  let max = before;
  const watch = setInterval(() => (max = Math.max(max, process.memoryUsage.rss())), 20);
  const startedAt = performance.now();
  const source = await openConversations(path);
  const seconds = (performance.now() - startedAt) / 1000;
  clearInterval(watch);
  return { source, seconds, megabytes: (Math.max(max, process.memoryUsage.rss()) - before) / 1e6 };
}

function measureSessions(source: Awaited<ReturnType<typeof openConversations>>) {
  const messages = { ...fromFile('talks.jsonl'), source: () => source };
  const { script } = resolveScenario({ name: 'dataset', sessions, messages }, { flags: {}, environment: {} });
  const before = process.memoryUsage.rss();
  const startedAt = performance.now();
  for (let number = 1; number <= sessions; number++) {
    const session = planSession(script, number);
    for (let turn = 1; turn <= session.turns; turn++) session.message(turn);
  }
  const micros = ((performance.now() - startedAt) * 1000) / sessions;
  return { micros, megabytes: (process.memoryUsage.rss() - before) / 1e6 };
}
