import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute } from './command.ts';

/** Shipped scenarios and the flags that end them within seconds. */
const runs: Readonly<Record<string, readonly string[]>> = {
  smoke: ['--duration', '2s'],
  peak: ['--sessions', '40', '--duration', '3s'],
  open: ['--duration', '3s'],
  personas: ['--duration', '3s'],
  'retry-storm': ['--duration', '3s'],
  soak: ['--duration', '4s', '--rate', '20'],
  knee: ['--duration', '3s'],
  nightly: ['--duration', '3s'],
  inside: ['--duration', '3s'],
};

/** Commands that print a document of each other kind. */
const printed: Readonly<Record<string, readonly string[]>> = {
  comparison: ['compare', 'smoke.json', 'peak.json', '--json'],
  'comparison-of-same': ['compare', 'baseline-1.json', 'baseline-2.json', '--json'],
  trend: ['trend', '.', '--json'],
  check: ['check', '--pause', '0ms', '--json'],
  'check-chat-completions': ['check', '--protocol', 'openai-chat', '--pause', '0ms', '--json'],
  plan: ['plan', 'scenarios/peak.ts', '--json'],
  'plan-open': ['plan', 'scenarios/soak.ts', '--json'],
  calibration: ['calibrate', '--step-duration', '200ms', '--max-connections', '2', '--json'],
  'capacity-a': [
    'capacity',
    'scenarios/knee.ts',
    ...['--min', '1', '--max', '8', '--max-step', '1s', '--max-duration', '8s', '--json'],
  ],
  'capacity-b': [
    'capacity',
    'scenarios/knee.ts',
    ...['--min', '1', '--max', '8', '--max-step', '1s', '--max-duration', '8s', '--json'],
  ],
  'capacity-comparison': ['compare', 'capacity-a.json', 'capacity-b.json', '--json'],
  dataset: ['dataset', 'inspect', 'talks.jsonl', '--json'],
  fit: ['fit', 'talks.jsonl', '--json'],
};

/** Makes documents of every kind by the commands of a checkout, unless the folder exists. */
export async function makeDocuments(checkout: string, folder: string): Promise<void> {
  if (existsSync(folder)) return;
  const work = await mkdtemp(join(tmpdir(), 'chat-load-documents-'));
  try {
    await makeInputs(checkout, work);
    for (const name of Object.keys(runs)) await shorten(join(work, 'scenarios', `${name}.ts`));
    for (const [name, flags] of Object.entries(runs)) {
      process.stderr.write(`documents: ${name}\n`);
      const { stderr } = await execute(checkout, ['run', `scenarios/${name}.ts`, '--out', name, ...flags], work);
      const [result] = existsSync(join(work, name)) ? (await readdir(join(work, name))).filter(isDocument) : [];
      if (result === undefined) throw new Error(`The run of ${name} wrote no result: ${stderr}`);
      await rename(join(work, name, result), join(work, `${name}.json`));
    }
    for (const [name, words] of Object.entries(printed)) {
      process.stderr.write(`documents: ${name}\n`);
      const { stdout, stderr } = await execute(checkout, words, work);
      if (!stdout.startsWith('{')) throw new Error(`${words.join(' ')} printed no document: ${stderr}`);
      await writeFile(join(work, `${name}.json`), stdout);
    }
    await mkdir(folder, { recursive: true });
    for (const name of (await readdir(work)).filter(isDocument)) await copyFile(join(work, name), join(folder, name));
    await makeInputs(checkout, folder);
  } finally {
    await rm(work, { recursive: true });
  }
}

/** Writes scenarios, conversations and results that commands read. */
export async function makeInputs(checkout: string, folder: string): Promise<void> {
  await mkdir(join(folder, 'scenarios'), { recursive: true });
  for (const name of await readdir(join(checkout, 'scenarios'))) {
    const text = await readFile(join(checkout, 'scenarios', name), 'utf8');
    // Free ports instead of fixed ones.
    await writeFile(
      join(folder, 'scenarios', name),
      text.replace(/^ {2}model: \{( port: 9009,)?/m, '  model: { port: 0,'),
    );
  }
  await copyFile(join(checkout, 'docs/datasets/talks.jsonl'), join(folder, 'talks.jsonl'));
  const baseline = join(checkout, 'results/baseline');
  for (const [index, name] of (await readdir(baseline)).filter(isDocument).sort().entries())
    await copyFile(join(baseline, name), join(folder, `baseline-${String(index + 1)}.json`));
}

/** Removes the warm-up and the long pauses of a scenario, with which nothing would end in a few seconds. */
async function shorten(path: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  await writeFile(
    path,
    text
      .replace(/\b(warmUp|rampUp): '\w+'/g, "$1: '0s'")
      .replace(/\bthinkTime: (\{[^}]*\}|'\w+')/, "thinkTime: '10ms'"),
  );
}

const isDocument = (name: string): boolean => name.endsWith('.json');
