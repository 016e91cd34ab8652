import { Component, type ComponentType, createElement } from "preact";

function isSame(before: object, after: object): boolean {
  const names = Object.keys(after);
  if (names.length !== Object.keys(before).length) return false;
  return names.every((name) => Reflect.get(before, name) === Reflect.get(after, name));
}

/** A component that is drawn again only when one of its properties is another one, or a signal that it reads changes. */
export function memo<Props extends object>(
  Inner: ComponentType<Props>,
  same: (before: Props, after: Props) => boolean = isSame,
): ComponentType<Props> {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      return !same(this.props, next);
    }
    override render() {
      return createElement(Inner, this.props);
    }
  };
}
