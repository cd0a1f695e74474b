/** A chapter of the report, and how many of its figures are not as they should be. */
export interface Chapter {
  title: string;
  text: string;
  broken: number;
}
