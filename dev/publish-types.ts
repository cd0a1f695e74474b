// Writes the types of a scenario's options for those who install the package, after tsc has written all others.
import { publishTypes } from '../docs/option-types.ts';

publishTypes();
