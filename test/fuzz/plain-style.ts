import picocolors from 'picocolors';
import type { Style } from '../../src/report/words/table.ts';

/** 80 columns without colours. */
export const plainStyle: Style = { colors: picocolors.createColors(false), width: 80 };
