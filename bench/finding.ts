/** A measured value and its limits. */
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
