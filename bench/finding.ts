/** A measured value, and the limits that it should be within. */
export interface Finding {
  what: string;
  value: number;
  unit?: string;
  atLeast?: number;
  atMost?: number;
}

export function holds({ value, atLeast = -Infinity, atMost = Infinity }: Finding): boolean {
  return value >= atLeast && value <= atMost;
}
