import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { features } from '../../src/features.ts';
import { root } from './command.ts';
import type { DoubtfulSample, FeatureSample } from './feature-sample.ts';

interface Samples {
  samples: readonly FeatureSample[];
  doubtful: readonly DoubtfulSample[];
}

const loaded = await Promise.all(
  features.map(async ({ name }) => {
    const file = join(root, 'src/features', name, 'test/samples.ts');
    return (await import(pathToFileURL(file).href)) as Samples;
  }),
);

/** Documents of all features. */
export const featureSamples = loaded.flatMap(({ samples }) => samples);

/** Documents of all features with doubtful figures. */
export const doubtfulSamples = loaded.flatMap(({ doubtful }) => doubtful);
