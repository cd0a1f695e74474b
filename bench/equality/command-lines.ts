import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute, type Recording } from './command.ts';
import { makeInputs } from './documents.ts';

const commands = ['init', 'try', 'check', 'plan', 'run', 'capacity', 'calibrate', 'compare', 'ab', 'trend', 'nightly', 'report', 'ui', 'recover', 'fit', 'dataset', 'dataset inspect', 'dataset convert', 'worker', 'serve', 'completion']; // prettier-ignore

/** Words that every command rejects or explains in its own way. None of them sends a request. */
const common = ['--help', '--nonsense', '--hlep', 'nowhere.ts --json', '--concurrency x', 'a b c --port -1'];

/** One line each; words are separated by single spaces, and those in single quotes are one word. */
const own = `
--help
--version
help
help run
help nonsense
version
rnu
run --help-all
run
run nowhere.ts
run broken.ts
run empty.ts
run misspelt.ts
run scenarios/smoke.ts --dry-run
run scenarios/peak.ts --dry-run --json
run scenarios/smoke.ts --duration 10
run scenarios/smoke.ts --duration 2 s
run scenarios/smoke.ts --concurrency 0
run scenarios/smoke.ts --concurrency 2 --rate 3
run scenarios/smoke.ts --sessions -1
run scenarios/smoke.ts --repeat 2 --report x.html
run scenarios/smoke.ts --report x.pdf
run scenarios/smoke.ts --base-url http://agent.invalid
run scenarios/smoke.ts --base-url http://127.0.0.1:1 --agent-id a
run scenarios/smoke.ts --base-url nonsense
run scenarios/smoke.ts --protocol openai
run scenarios/smoke.ts --cores 0
run scenarios/smoke.ts --fleet redis://127.0.0.1:1 --shards 2
run scenarios/smoke.ts --shards 2
run scenarios/smoke.ts --set a
run scenarios/smoke.ts --seed -1
run scenarios/smoke.ts --vus 3
run scenarios/smoke.ts --num-prompts 3
run scenarios/smoke.ts --users 3
run scenarios/smoke.ts -c 3
run scenarios/smoke.ts --prices nowhere.json
run scenarios/smoke.ts --target-metrics nonsense
run scenarios/smoke.ts --model-port 99999
run scenarios/smoke.ts --ca nowhere.pem
run scenarios/smoke.ts --insecure
run scenarios/smoke.ts --duration 1s --out o --quiet
run scenarios/smoke.ts --duration 1s --out o --json
run scenarios/smoke.ts --duration 1s --out o
run scenarios/smoke.ts --duration 1s --out o --label a --report r.xml --report r.md
run scenarios/retry-storm.ts --sessions 4 --duration 1s --out o
run --url http://127.0.0.1:1/v1 --model m
run --url ftp://127.0.0.1/v1 --model m
run --model m
plan scenarios/peak.ts
plan scenarios/open.ts
plan scenarios/personas.ts --json
plan scenarios/retry-storm.ts
plan scenarios/soak.ts --rate 20 --reply-time 2s
plan scenarios/knee.ts
plan scenarios/inside.ts
plan scenarios/nightly.ts
plan scenarios/smoke.ts --cores 2
plan scenarios/smoke.ts --stream
plan scenarios/smoke.ts --prices nowhere.json
try
try scenarios/smoke.ts
try scenarios/smoke.ts --json
try --url http://127.0.0.1:1/v1 --model m
try --protocol openai-chat
try --protocol anthropic-messages --stream
try --api-key sk-1
check --only nonsense
check --only memory --pause 0ms
check --protocol gemini --pause 0ms
check --protocol nonsense
check --pause 2
check --report check.pdf
check --url http://127.0.0.1:1 --agent-id a
calibrate --step-duration 2
calibrate --max-connections 0
calibrate --url http://127.0.0.1:1/v1 --model m
capacity scenarios/knee.ts --dry-run
capacity scenarios/knee.ts --objective nonsense
capacity scenarios/knee.ts --objective 'turn.p95 < 2s' --dry-run
capacity scenarios/knee.ts --by nonsense
capacity scenarios/knee.ts --min 9 --max 2
capacity scenarios/knee.ts --min 1 --max 4 --max-step 1s --max-duration 3s --out o
compare baseline-1.json baseline-2.json
compare baseline-1.json baseline-2.json --json
compare baseline-1.json
compare baseline-1.json nowhere.json
compare baseline-1.json broken.json
compare baseline-1.json baseline-2.json --metric nonsense
compare baseline-1.json baseline-2.json --alpha 2
compare baseline-1.json baseline-2.json baseline-3.json --self-test
compare --base baseline-*.json --head baseline-3.json
compare label:a label:b
compare baseline-1.json scenarios/peak.ts
compare baseline-1.json baseline-2.json --fail-on nonsense
compare baseline-1.json baseline-2.json --report c.csv
ab scenarios/smoke.ts
ab scenarios/smoke.ts --base embedded --head http://127.0.0.1:1 --pairs 1
ab scenarios/smoke.ts --base embedded --head embedded --pairs 0
ab scenarios/smoke.ts --url u
trend .
trend nowhere
trend . --metric nonsense
trend . --alpha 7
trend . --json
nightly --head nonsense
nightly --head embedded --runs 0
report baseline-1.json
report baseline-1.json --format markdown
report baseline-1.json --format junit
report baseline-1.json --format csv
report baseline-1.json --format nonsense
report baseline-1.json --report a.html --report a.hlog --report a.xml
report baseline-1.json baseline-2.json --report both.html
report baseline-1.json baseline-2.json --format csv
report broken.json
report future.json
report talks.jsonl
recover nowhere.ndjson
recover talks.jsonl
recover baseline-1.json
fit talks.jsonl
fit talks.jsonl --to fitted.ts
fit trace.csv
fit trace.csv --json
fit trace.csv --columns at=Timestamp,session=nonsense
fit trace.csv --columns nonsense
fit broken.json
dataset
dataset inspct a.csv
dataset inspect talks.jsonl
dataset inspect talks.jsonl --json
dataset inspect talks.jsonl --redact
dataset inspect nowhere.jsonl
dataset inspect trace.csv
dataset convert talks.jsonl
dataset convert talks.jsonl --to few.jsonl --sample 2
dataset convert talks.jsonl --to talks.jsonl
dataset convert chats.csv --to out.jsonl --columns conversation=thread,role=author,content=text
dataset convert chats.csv --to out.jsonl --columns user=nonsense
init --example peak
init --example nonsense
init --url http://127.0.0.1:1/v1 --model m
init --from-curl 'curl http://127.0.0.1:1/chat -d {"message":"hi"}'
init --from-curl 'wget x'
init --from-openapi nowhere.json
init --from-openapi broken.json
init . --ci github
init . --ci nonsense
serve --port 99999
serve --latency 3
serve --config nowhere.json
serve --completions-url u
serve --as nonsense
serve --as model --config broken.json
ui nowhere
ui --port 99999
worker scenarios/smoke.ts
worker scenarios/smoke.ts --redis redis://127.0.0.1:1 --once --wait 1s
worker nowhere.ts --redis redis://127.0.0.1:1 --once --wait 1s
completion bash
completion zsh
completion fish
completion
fleet manifest
dataset inspect talks.parquet
`;

/** Files that commands reject. */
const files: Readonly<Record<string, string>> = {
  'broken.ts': 'export default {{{',
  'empty.ts': 'export const a = 1;',
  'misspelt.ts': "export default { name: 'x', messages: ['hi'], sesions: 3 };",
  'broken.json': '{"kind": "chat-load/result", ',
  'future.json': '{"kind":"chat-load/result","version":999}',
  'talks.parquet': 'PAR1',
  'trace.csv': `Timestamp,Session ID,Model,Request tokens,Response tokens,Total tokens,Log Type\n${Array.from(
    { length: 60 },
    (_, at) => `${String(at / 6)},s${String(at % 30)},ChatGPT,20,10,30,Conversation log`,
  ).join('\n')}\n`,
  'chats.csv': 'thread,author,text\n1,customer,Where is it?\n1,agent,On its way.\n',
};

/** Records the exit code and the output of about 300 command lines, each in a folder of its own. */
export async function recordCommandLines({ checkout, folder }: Recording): Promise<void> {
  const lines = [
    ...own.trim().split('\n'),
    ...commands.flatMap((command) => common.map((words) => `${command} ${words}`)),
  ];
  for (const [index, line] of lines.entries()) {
    const cwd = await mkdtemp(join(tmpdir(), 'chat-load-lines-'));
    try {
      await makeInputs(checkout, cwd);
      for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
      const { code, stdout, stderr } = await execute(checkout, wordsOf(line), cwd);
      const text = `${line}\nexit ${String(code)}\n--- standard output\n${stdout}--- standard error\n${stderr}`;
      await writeFile(join(folder, `${String(index).padStart(3, '0')}.txt`), steady(text, cwd));
    } finally {
      await rm(cwd, { recursive: true });
    }
  }
}

const wordsOf = (line: string): string[] =>
  (line.match(/'[^']*'|\S+/g) ?? []).map((word) => (word.startsWith("'") ? word.slice(1, -1) : word));

/** Lines with figures of a measurement, which differ between two executions. */
const measuring =
  /^(run scenarios\/\S+ --(duration|sessions)|run scenarios\S+ .*--out|try|check|capacity .*--max-step|calibrate|ab )/;

/** Replaces what differs between two executions of the same checkout: folders, dates, ports, and measurements. */
function steady(text: string, cwd: string): string {
  const placed = text
    .replaceAll(cwd, '<folder>')
    .replace(/\d{8}T\d{6}Z/g, '<date>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<date>')
    .replace(/127\.0\.0\.1:\d{4,5}/g, '127.0.0.1:<port>')
    .replace(/("(?:open|free)": )\d+/g, '$1<count>');
  if (!measuring.test(text)) return placed;
  // The rest differs between two executions; renderings hold the words of documents.
  const [line = '', exit = ''] = placed.split('\n');
  const [last = ''] = placed.trimEnd().split('\n').slice(-1);
  return [line, exit, /^[A-Z]+/.exec(last)?.[0] ?? ''].join('\n');
}
