/** A request as it was read. */
export interface Incoming {
  authorization: string | undefined;
  contentType: string | undefined;
  /** `undefined`: too large. */
  body: string | undefined;
}
