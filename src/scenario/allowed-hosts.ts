import { z } from 'zod';

/** A host name, `*.` and a domain, an IPv4 literal, or an IPv6 literal, each with or without a port. */
const shape =
  /^(?:(?:\*\.)?[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$|^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i;

/** The schema of `allowHosts`: hosts, not URLs, since a scheme or a path would suggest that it is checked. */
export const allowedHosts = z.array(
  z
    .string()
    .regex(
      shape,
      "expected a host such as 'api.example.com', '*.example.com' or 'api.example.com:8443', without http:// and path",
    ),
);
