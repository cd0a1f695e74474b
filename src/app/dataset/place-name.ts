import type { RecordFile } from '../../edge/disk/records/record.ts';

/** `line 12`; with its file, where there are several. */
export function placeName({ path, unit }: RecordFile, place: number, isOneOfSeveral: boolean): string {
  return `${isOneOfSeveral ? `${path} ` : ''}${unit} ${String(place)}`;
}
