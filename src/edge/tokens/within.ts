import { TokenFailure } from './token.ts';

interface Waiting {
  what: string;
  limitMs: number;
  unwanted: AbortSignal;
}

/** What was promised, or a `TokenFailure` when it does not come in time, or is not wanted any more. */
export async function within<Made>({ what, limitMs, unwanted }: Waiting, promised: Promise<Made>): Promise<Made> {
  const over = new AbortController();
  const late = new Promise<never>((_, reject) => {
    const fail = (why: string): void => reject(new TokenFailure(`${what} ${why}`));
    const timer = setTimeout(() => fail(`did not answer within ${String(limitMs / 1000)} s`), limitMs);
    over.signal.addEventListener('abort', () => clearTimeout(timer));
    unwanted.addEventListener('abort', () => fail('was not wanted any more'), { signal: over.signal });
  });
  try {
    return await Promise.race([promised, late]);
  } finally {
    over.abort();
  }
}
