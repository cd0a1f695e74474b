import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPinned } from './pinned.ts';
import type { TargetCounts } from './target.ts';

export interface TargetShape {
  /** Size of a reply in bytes. */
  replyBytes: number;
  chunked: boolean;
  tls: boolean;
  /** Delay of a reply, in milliseconds. */
  delayMs: number;
}

/** Another program as a target. */
export interface TargetProgram {
  program: readonly [string, ...string[]];
  /** True for a target with TLS. */
  tls?: boolean;
}

export interface Target {
  baseUrl: string;
  /** Returns the target's own counts. */
  counts(): Promise<TargetCounts>;
  /** Returns another value of the target by name. */
  ask(what: string): Promise<unknown>;
}

export const plainTarget: TargetShape = { replyBytes: 300, chunked: false, tls: false, delayMs: 0 };

const path = (name: string): string => join(fileURLToPath(new URL('.', import.meta.url)), name);

/** Test-only certificate for localhost, shared with the tests. */
export const certificate = {
  cert: path('../test/fixtures/test-only-localhost.cert.pem'),
  key: path('../test/fixtures/test-only-localhost.key.pem'),
};

/** Starts a target in its own process, passes it to `use`, and stops it. */
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
