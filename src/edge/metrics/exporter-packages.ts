import type { OptionalPackages } from '../optional-packages.ts';

export const exporterPackages: OptionalPackages = {
  need: "Exporting metrics takes OpenTelemetry's packages",
  names: ['@opentelemetry/'],
};
