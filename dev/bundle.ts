// Bundles the published code: a command then opens some 30 files instead of 400, which halves its startup time. Types are
// written by tsc.
import { build } from 'rolldown';
import manifest from '../package.json' with { type: 'json' };
import { bundled, packageOf } from './bundled.ts';

/** Entry points: the command, the library, and separate processes. */
const entries = [
  'cli/main',
  'cli/shard-process',
  'edge/calibrate/responder-process',
  'app/live/live-worker',
  'app/model/model-process',
  'reference-service/embedded-process',
  'index',
];

const { output } = await build({
  platform: 'node',
  logLevel: 'warn',
  input: Object.fromEntries(entries.map((name) => [name, `src/${name}.ts`])),
  external: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
    .filter((name) => !bundled.includes(name))
    .map((name) => new RegExp(`^${name}(/|$)`)),
  // `path-in-package.ts` relies on this layout: parts are two folders below the package, like the files of src/edge.
  output: { dir: 'dist', format: 'esm', chunkFileNames: 'parts/[name].js', sourcemap: true, cleanDir: true },
});

const found = output.flatMap((part) =>
  part.type === 'chunk' ? part.moduleIds.flatMap((id) => packageOf(id) ?? []) : [],
);
const unlisted = new Set(found.filter((name) => !bundled.includes(name)));
if (unlisted.size > 0)
  throw new Error(`Bundled without a licence notice: ${[...unlisted].join(', ')}; see bundled.ts.`);
