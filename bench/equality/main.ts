import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { recordCommandLines } from './command-lines.ts';
import { difference } from './difference.ts';
import { makeDocuments } from './documents.ts';
import { recordRenderings } from './renderings.ts';
import { recordTraffic } from './traffic.ts';

const recordings = { renderings: recordRenderings, traffic: recordTraffic, lines: recordCommandLines };
const names = Object.keys(recordings) as (keyof typeof recordings)[];

const args = await yargs(hideBin(process.argv))
  .scriptName('npm run bench:equality --')
  .usage(
    '$0 --before DIR --out FOLDER\n\nRecords what two built checkouts do with the same input, and prints each difference: every format of every kind of document, the requests of every protocol with the lines of their journal, and the output of about 300 command lines.',
  )
  .option('before', { type: 'string', demandOption: true, describe: 'Built checkout to compare with' })
  .option('out', {
    type: 'string',
    demandOption: true,
    describe: 'Folder for the recordings; documents in it are used again',
  })
  .option('only', { choices: names, array: true, default: names, describe: 'Record only these' })
  .check(
    ({ before }) =>
      existsSync(join(before, 'dist/cli/main.js')) || `${before} is not a built checkout: run npm ci there.`,
  )
  .strict()
  .parse();

const out = resolve(args.out);
const checkouts = { before: resolve(args.before), after: resolve('.') };
const documents = join(out, 'documents');
await makeDocuments(checkouts.before, documents);
let differences = 0;
for (const name of args.only) {
  for (const [side, checkout] of Object.entries(checkouts)) {
    const folder = join(out, side, name);
    await mkdir(folder, { recursive: true });
    process.stderr.write(`${name}, ${side}\n`);
    await recordings[name]({ checkout, documents, folder });
  }
  const { text, files } = await difference(join(out, 'before', name), join(out, 'after', name));
  process.stdout.write(text);
  differences += files;
}
process.stdout.write(`${String(differences)} recordings differ\n`);
process.exitCode = differences === 0 ? 0 : 1;
