/**
 * A `ref` for a field that the person has just asked for. It has the focus before the next key comes. The browser's own
 * `autofocus` waits for the next frame, and works only once in the life of a page.
 */
export function takeFocus(field: HTMLElement | null): void {
  field?.focus();
}
