import { commandLineFuzz } from './command-lines.ts';
import { factsFuzz, historyFuzz, resultFuzz } from './documents.ts';
import { eventFuzz, eventLimitFuzz, jsonLineFuzz } from './events.ts';
import type { Fuzz } from './fuzz.ts';
import { journalFuzz } from './journals.ts';
import { repliesFuzz } from './replies/reply-fuzz.ts';
import { reportFuzz } from './reports.ts';
import { environmentFuzz, scenarioFuzz } from './scenarios.ts';
import { serviceFuzz } from './service.ts';
import { durationFuzz, gateFuzz, retryAfterFuzz, templateFuzz } from './texts.ts';
import { parserFuzz, replyFuzz } from './wire.ts';

/** Everything that reads what others wrote. */
export const fuzzes: readonly Fuzz[] = [
  scenarioFuzz,
  environmentFuzz,
  templateFuzz,
  durationFuzz,
  gateFuzz,
  retryAfterFuzz,
  resultFuzz,
  factsFuzz,
  historyFuzz,
  reportFuzz,
  journalFuzz,
  parserFuzz,
  eventFuzz,
  jsonLineFuzz,
  eventLimitFuzz,
  replyFuzz,
  ...repliesFuzz,
  serviceFuzz,
  commandLineFuzz,
];
