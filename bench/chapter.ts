/** A chapter of the report, and the number of its figures outside their limits. */
export interface Chapter {
  title: string;
  text: string;
  broken: number;
}
