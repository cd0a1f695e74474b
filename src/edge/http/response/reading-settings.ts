import type { Ms } from '../../../base/time.ts';
import type { FastResponse } from './fast-response.ts';
import type { ReadPace } from '../exchange/read-pace.ts';
import type { ResponseLimits } from './response-parser.ts';

/** What the readers of responses of one sender share. */
export interface ReadingSettings {
  limits: ResponseLimits;
  /** Of a reply in pieces. */
  maxEventBytes: number;
  idleConnectionMs: Ms;
  /** Takes secrets out of a text. */
  redact: (text: string) => string;
  /** All sockets read into this one; its content is consumed before the next read. */
  readBuffer: Buffer;
  /** Whether exchanges tell the cookies that the service sets. */
  cookies: boolean;
  fastResponse: FastResponse;
  pace: ReadPace;
}
