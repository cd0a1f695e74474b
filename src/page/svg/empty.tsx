/** What stands where a chart has nothing to draw. */
export function Empty() {
  return <p class="empty">No values.</p>;
}
