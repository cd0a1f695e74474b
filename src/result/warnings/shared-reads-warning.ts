import { formatShare } from '../../base/format.ts';
import type { StreamFigures } from '../sections/stream.ts';
import type { Warning } from '../sections/warning.ts';

/** From here on instants say more of what lies between than of the service. */
const mostShared = 0.5;

/** The warning that most content events came several at a time; none where they came one by one, or none came. */
export function sharedReadsWarnings({ sharedReads }: StreamFigures): Warning[] {
  if (sharedReads === null || sharedReads <= mostShared) return [];
  return [
    {
      code: 'reads_shared',
      message: `${formatShare(sharedReads)} of the content events came in one read with the event before: firstToken and gap say when pieces were let go, not when they were made.`,
      remedy:
        'Look for what buffers between the service and here (a proxy, a gateway, compression), or read them as what a user behind it sees. A service that sends faster than single events can be read apart shows the same.',
    },
  ];
}
