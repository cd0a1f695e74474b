/** A rule cannot be tried: without something that an option gives, or an answer that it would look at. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}
