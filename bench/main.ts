import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { updateReport } from './markdown.ts';
import type { Chapter } from './chapter.ts';
import { parts } from './parts.ts';
import { acceptanceParts } from './acceptance/measure-acceptance.ts';
import { capacityParts } from './capacity/measure-capacity.ts';
import { ordinaryTables } from './ordinary/main.ts';
import { streamParts } from './streams/measure-streams.ts';

const names = Object.keys(parts);
const args = await yargs(hideBin(process.argv))
  .scriptName('npm run bench --')
  .usage(
    `$0 [parts..]\n\nMeasures chat-load against its peers, and its figures against known ones. Parts: ${names.join(', ')}; default: all.`,
  )
  .option('rounds', { type: 'number', default: 3, describe: 'Number of rounds per generator' })
  .option('seconds', { type: 'number', default: 4, describe: 'Duration of each measurement' })
  .option('peer', { type: 'string', array: true, describe: 'Measure only this peer, named as in the table' })
  .option('only', {
    type: 'string',
    array: true,
    describe: `Measure only these parts: of streams ${streamParts.join(', ')}; of capacity ${capacityParts.join(', ')}; of acceptance ${acceptanceParts.join(', ')}; of ordinary ${ordinaryTables.join(', ')}`,
  })
  .option('before', { type: 'string', describe: 'For streams and websocket: built checkout to compare with' })
  .option('scale', {
    type: 'number',
    default: 1,
    describe:
      'For streams, capacity, acceptance and ordinary: share of the full sizes; 0.01 only checks that everything works',
  })
  .option('out', {
    type: 'string',
    default: 'bench/results.md',
    describe: 'File of the report; chapters of parts that are not measured stay',
  })
  .example('$0', 'All parts: about half an hour; nothing else should run on the machine')
  .example('$0 streams --only truth', 'Measure one part of streams')
  .example('$0 speed --peer wrk --rounds 5 --out wrk.md', 'Measure one peer')
  .strictOptions()
  .check(({ _: asked }) => asked.every((name) => names.includes(String(name))) || `The parts are ${names.join(', ')}.`)
  .parse();
const asked = args._.length === 0 ? names : args._.map(String);

const options = ['rounds', 'seconds', 'scale']
  .filter((name) => process.argv.includes(`--${name}`))
  .map((name) => ` --${name} ${String(args[name])}`)
  .join('');
const folder = await mkdtemp(join(tmpdir(), 'chat-load-bench-'));
const chapters: Chapter[] = [];
try {
  for (const name of asked) {
    process.stderr.write(`${name}\n`);
    const bench = {
      load: { connections: 32, windowMs: args.seconds * 1000 },
      rounds: args.rounds,
      peers: args.peer,
      streams: { only: args.only, scale: args.scale, before: args.before },
      folder,
      report: (text: string) => void process.stderr.write(`  ${text}\n`),
    };
    const measured = (await parts[name]?.(bench)) ?? [];
    chapters.push(...measured);
    // Written after every part, so that a later failure loses nothing.
    const before = existsSync(args.out) ? await readFile(args.out, 'utf8') : '';
    await writeFile(args.out, updateReport(before, measured, `npm run bench -- ${name}${options}`));
  }
} finally {
  await rm(folder, { recursive: true });
}
process.stdout.write(`${chapters.map(({ title, text }) => `${title}\n\n${text}\n`).join('\n')}\n${args.out}\n`);
const broken = chapters.reduce((sum, chapter) => sum + chapter.broken, 0);
if (broken > 0) process.stdout.write(`${String(broken)} figures deviate from their expected values.\n`);
process.exitCode = broken > 0 ? 1 : 0;
