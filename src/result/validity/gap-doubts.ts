/** Reports whether a reason against a run concerns only gaps between events: no other figure holds that delay. */
export function isOfGaps({ code }: { code: string }): boolean {
  return code === 'instants_late';
}

/** Reports whether a metric or series is of gaps between events. */
export function isGapName(name: string): boolean {
  return name.startsWith('gap.');
}
