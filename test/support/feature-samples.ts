import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './command.ts';
import type { DoubtfulSample, FeatureSample } from './feature-sample.ts';

interface Samples {
  samples: readonly FeatureSample[];
  doubtful: readonly DoubtfulSample[];
}

const features = join(root, 'src/features');
const loaded = await Promise.all(
  readdirSync(features).map(
    async (name) => (await import(pathToFileURL(join(features, name, 'test/samples.ts')).href)) as Samples,
  ),
);

/** Documents of all features. */
export const featureSamples = loaded.flatMap(({ samples }) => samples);

/** Documents of all features with doubtful figures. */
export const doubtfulSamples = loaded.flatMap(({ doubtful }) => doubtful);
