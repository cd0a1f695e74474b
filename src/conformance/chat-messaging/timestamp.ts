interface Timestamp {
  /** Since 1970; `undefined` for a local time, which is not an instant. */
  ms: number | undefined;
}

const dateTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(Z|[+-]\d\d(?::?\d\d)?)?)$/;

/** Reads an ISO 8601 date and time in the extended format; `undefined` when it is not one. */
export function readTimestamp(value: unknown): Timestamp | undefined {
  if (typeof value !== 'string') return undefined;
  const found = dateTime.exec(value);
  if (found === null) return undefined;
  const zone = found[1];
  // Date.parse takes neither a decimal comma nor a zone without minutes.
  const read = Date.parse(
    value
      .replace(',', '.')
      .replace(/([+-]\d\d)(?::?(\d\d))?$/, (whole, hours: string, minutes?: string) =>
        zone === undefined || zone === 'Z' ? whole : `${hours}:${minutes ?? '00'}`,
      ),
  );
  if (Number.isNaN(read)) return undefined;
  return { ms: zone === undefined ? undefined : read };
}
