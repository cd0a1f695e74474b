import { capacityComparisonKind, capacityComparisonSchema } from '../../capacity/compare/capacity-comparison.ts';
import { capacityKind } from '../../capacity/document/capacity.ts';
import type { DocumentReading } from '../../edge/disk/parse-document.ts';
import { readListedResult, readOther } from '../../edge/disk/read-result.ts';
import { listedCapacitySchema } from '../../report/page/list/listed.ts';
import type { ListRow } from '../../report/page/list/list.ts';
import { viewCapacitiesRow, viewCapacityRow, viewRow, type Place } from '../../report/page/list/view-row.ts';

/** How a file is listed, or why it cannot be read. */
type Listed = { view: (place: Place) => ListRow } | Exclude<DocumentReading<never>, { part: never }>;

/** Reads what a list shows of a result, or of a capacity that lies beside results. Never throws. */
export function readListed(path: string): Listed {
  const reading = readListedResult(path);
  if ('part' in reading) return { view: (place) => viewRow(place, reading.part) };
  switch (reading.document) {
    case capacityKind:
      return listed(readOther(path, capacityKind, listedCapacitySchema), viewCapacityRow);
    case capacityComparisonKind:
      return listed(readOther(path, capacityComparisonKind, capacityComparisonSchema), viewCapacitiesRow);
    default:
      return reading;
  }
}

function listed<Part>(reading: DocumentReading<Part>, view: (place: Place, part: Part) => ListRow): Listed {
  return 'part' in reading ? { view: (place) => view(place, reading.part) } : reading;
}
