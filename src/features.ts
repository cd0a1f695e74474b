import { useFeatures, type Feature } from './feature.ts';
import { capacity } from './features/capacity/feature.ts';

/** Features of this build. The command, the library and the tests import this file, which adds them to the core. */
export const features: readonly Feature[] = [capacity];

useFeatures(features);
