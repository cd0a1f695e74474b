import { isUtf8 } from 'node:buffer';
import { printable } from '../../base/printable.ts';
import type { FleetManifest, Resource, ScenarioFile } from './manifest.ts';
import { folders, metadataOf } from './resource.ts';

/** The ConfigMap with the scenario and its data files; none where they are in the image. */
export function scenarioMap(manifest: FleetManifest): Resource[] {
  const { files } = manifest.scenario;
  if (files === undefined) return [];
  const entries = files.map((file, index) => ({ key: keyOf(file, index), file, text: plainText(file) }));
  const binary = entries.filter(({ text }) => text === undefined);
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: metadataOf(manifest, '-scenario'),
      immutable: true,
      data: Object.fromEntries(entries.flatMap(({ key, text }) => (text === undefined ? [] : [[key, text]]))),
      ...(binary.length > 0 && {
        binaryData: Object.fromEntries(
          binary.map(({ key, file }) => [key, Buffer.from(file.content).toString('base64')]),
        ),
      }),
    },
  ];
}

/** The same mounted, each file at its path below the folder of the worker. */
export function scenarioVolume({ name, scenario: { files } }: FleetManifest): {
  volumes: Record<string, unknown>[];
  mounts: Record<string, unknown>[];
} {
  if (files === undefined) return { volumes: [], mounts: [] };
  const items = files.map((file, index) => ({ key: keyOf(file, index), path: file.path }));
  return {
    volumes: [{ name: 'scenario', configMap: { name: `${name}-scenario`, items } }],
    mounts: [{ name: 'scenario', mountPath: folders.work, readOnly: true }],
  };
}

/** Keys of a ConfigMap have no slashes. The number tells files of one name apart. */
const keyOf = ({ path }: ScenarioFile, index: number): string =>
  `${String(index)}-${(path.split('/').at(-1) ?? '').replaceAll(/[^-._a-zA-Z0-9]/g, '_').slice(0, 200)}`;

/** The text of a file if YAML and a terminal leave every byte of it unchanged: a worker refuses a scenario with another hash. */
function plainText({ content }: ScenarioFile): string | undefined {
  const text = Buffer.from(content).toString('utf8');
  const isPlain =
    isUtf8(content) && !text.startsWith('\ufeff') && text.split('\n').every((line) => printable(line) === line);
  return isPlain ? text : undefined;
}
