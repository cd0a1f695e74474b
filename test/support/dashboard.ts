/** The part of a Grafana dashboard that tests read. */
export interface Dashboard {
  schemaVersion: number;
  templating: { list: { name: string }[] };
  panels: {
    id: number;
    title: string;
    datasource: unknown;
    gridPos: { x: number; y: number; w: number; h: number };
    targets: { expr: string }[];
  }[];
}

/** Every expression of its panels, as PromQL with variables of Grafana's in it. */
export function expressionsOf({ panels }: Dashboard): string[] {
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}
