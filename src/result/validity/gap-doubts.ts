/** Reports whether a reason against a run concerns only gaps between events: no other figure holds that delay. */
export const isOfGaps = ({ code }: { code: string }): boolean => code === 'instants_late';

/** Reports whether a metric or series is of gaps between events. */
export const isGapName = (name: string): boolean => name.startsWith('gap.');
