// Writes the types of scenario options into the package, after tsc has written all others.
import { publishTypes } from '../docs/option-types.ts';

publishTypes();
