import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startPinned } from './pinned.ts';
import type { TargetCounts } from './target.ts';

export interface TargetShape {
  /** Bytes of a reply. */
  replyBytes: number;
  chunked: boolean;
  tls: boolean;
  /** What a reply takes. */
  delayMs: number;
}

/** Another program as a target: its path and arguments. */
export interface TargetProgram {
  program: readonly [string, ...string[]];
  /** Whether it speaks TLS. */
  tls?: boolean;
}

export interface Target {
  baseUrl: string;
  /** What it has served so far, by its own count. */
  counts(): Promise<TargetCounts>;
  /** What else it knows, by its name. */
  ask(what: string): Promise<unknown>;
}

export const plainTarget: TargetShape = { replyBytes: 300, chunked: false, tls: false, delayMs: 0 };

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A certificate for localhost that the tests hold too; it secures nothing. */
export const certificate = {
  cert: path('../test/fixtures/test-only-localhost.cert.pem'),
  key: path('../test/fixtures/test-only-localhost.key.pem'),
};

/** Starts a target in a process of its own, lets `use` have it, and ends it. */
export async function withTarget<Value>(
  shape: TargetShape | TargetProgram,
  use: (target: Target) => Promise<Value>,
): Promise<Value> {
  const program = 'program' in shape ? shape.program : [path('target.ts'), ...flagsOf(shape)];
  const child = startPinned('target', [process.execPath, '--import', 'jiti/register', ...program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ask = async (what: string): Promise<unknown> => {
    child.send(what);
    const [told] = (await once(child, 'message')) as [unknown];
    return told;
  };
  const isTls = 'tls' in shape && shape.tls;
  try {
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return await use({
      baseUrl: isTls ? `https://localhost:${String(port)}` : `http://127.0.0.1:${String(port)}`,
      counts: async () => (await ask('counts')) as TargetCounts,
      ask,
    });
  } finally {
    child.kill();
  }
}

const flagsOf = ({ replyBytes, chunked, tls, delayMs }: TargetShape): string[] => [
  ...['--reply', String(replyBytes), '--delay', String(delayMs)],
  ...(chunked ? ['--chunked'] : []),
  ...(tls ? ['--cert', certificate.cert, '--key', certificate.key] : []),
];
