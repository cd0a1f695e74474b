export const measureWideFleet = (x: unknown): unknown => x;
