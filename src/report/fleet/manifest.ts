import type { FleetSize } from '../../plan/core-needs.ts';

/** A file of the scenario: the module, or a list of its data. */
export interface ScenarioFile {
  /** Below the working directory, with slashes. */
  path: string;
  content: Uint8Array;
}

/** An address in the network of the cluster; `ip` where the host is one. */
export interface Place {
  ip: 4 | 6 | undefined;
  host: string;
  port: number;
}

/** What the places of a fleet are made from. Holds no key. */
export interface FleetManifest {
  toolVersion: string;
  /** A DNS-1123 label, short enough for suffixes; also the prefix of keys in Redis. */
  name: string;
  namespace: string | undefined;
  image: string;
  /** The Secret that the user creates. */
  secret: string;
  shards: number;
  scenario: {
    name: string;
    path: string;
    hash: string;
    /** `undefined`: they are in the image. */
    files: readonly ScenarioFile[] | undefined;
  };
  label: string | undefined;
  /** Overrides of the scenario, as variables of the environment. */
  environment: Readonly<Record<string, string>>;
  /** `undefined`: one of its own. */
  redis: { url: string; place: Place } | undefined;
  target: Place;
  /** Where the pods behind the target listen, if not on its port. */
  targetPort: number | undefined;
  /** A PersistentVolumeClaim for results; `undefined`: they go with the pod. */
  resultsClaim: string | undefined;
  size: FleetSize;
}

/** A resource of Kubernetes. */
export interface Resource {
  apiVersion: string;
  kind: string;
  metadata: Readonly<Record<string, unknown>>;
  [field: string]: unknown;
}
