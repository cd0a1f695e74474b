/** What is said to an agent to make it show what it remembers. */
export interface Words {
  /** Tells it a code. */
  remember: (code: string) => string;
  /** Asks for that code. */
  recall: string;
}
