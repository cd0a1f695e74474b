import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A program of another project that streams, installed by hand: `pip install` into a virtual environment outside the repository. */
export interface Rival {
  name: string;
  program: string;
  /** Returns the arguments of a run with this number of requests, 32 concurrently. */
  words: (how: RivalRun) => string[];
  /** Returns the published mean time to first token, in milliseconds. */
  firstTokenMs: (out: string) => number;
}

interface RivalRun {
  baseUrl: string;
  requests: number;
  tokenizer: string;
  /** Output folder of the run. */
  out: string;
}

const readJson = (out: string, name: string): unknown => JSON.parse(readFileSync(join(out, name), 'utf8'));

export const rivals: readonly Rival[] = [
  {
    name: 'AIPerf 0.13.0',
    program: 'aiperf',
    words: ({ baseUrl, requests, tokenizer, out }) => [
      ...['profile', '--model', 'bench', '--url', baseUrl, '--endpoint-type', 'chat', '--streaming'],
      ...['--concurrency', '32', '--request-count', String(requests), '--tokenizer', tokenizer],
      ...['--artifact-dir', out, '--ui', 'none', '--random-seed', '1'],
    ],
    firstTokenMs: (out) =>
      (readJson(out, 'profile_export_aiperf.json') as { time_to_first_token: { avg: number } }).time_to_first_token.avg,
  },
  {
    name: 'GuideLLM 0.8.1',
    program: 'guidellm',
    words: ({ baseUrl, requests, tokenizer, out }) => [
      ...[
        'run',
        '--backend',
        `kind=openai_http,target=${baseUrl},model=bench`,
        '--profile',
        'kind=concurrent,streams=32',
      ],
      ...['--constraint', `kind=max_requests,count=${String(requests)}`],
      ...['--tokenizer', `kind=huggingface_auto,model=${tokenizer}`],
      ...['--data', 'kind=synthetic_text,prompt_tokens=50,output_tokens=100'],
      ...['--output', `kind=json,path=${join(out, 'guidellm.json')}`, '--disable-console-interactive'],
    ],
    firstTokenMs: (out) => {
      const { benchmarks } = readJson(out, 'guidellm.json') as GuidellmReport;
      return benchmarks[0]?.metrics.time_to_first_token_ms.successful.mean ?? NaN;
    },
  },
];

interface GuidellmReport {
  benchmarks: { metrics: { time_to_first_token_ms: { successful: { mean: number } } } }[];
}

/** Returns the path of a rival's program in the folders of `CHAT_LOAD_PEERS`. */
export function findRival({ program }: Rival): string | undefined {
  const folders = (process.env['CHAT_LOAD_PEERS'] ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, program)).find(existsSync);
}

/** Creates a tokenizer with the Python next to a program. */
export function makeTokenizer(program: string, folder: string): string {
  const out = mkdtempSync(join(folder, 'tokenizer-'));
  const script = fileURLToPath(new URL('../peers/tokenizer.py', import.meta.url));
  const { status, stderr } = spawnSync(join(program, '../python'), [script, out], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`cannot create a tokenizer: ${stderr}`);
  return out;
}
