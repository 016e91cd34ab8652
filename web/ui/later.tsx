import { type ComponentType, Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A page that is loaded when it is first shown: most visits never need it. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Later(props: Props) {
    const [, redraw] = useState(0);
    const [failed, fail] = useState(false);
    useEffect(() => {
      if (loaded) return;
      load().then(
        (page) => {
          loaded = page;
          redraw(1);
        },
        () => fail(true),
      );
    }, []);
    if (failed) return <p class="notice bad">This part could not be loaded: reload the page.</p>;
    return loaded ? <PageOf page={loaded} props={props} /> : <Fragment />;
  };
}

function PageOf<Props extends object>({ page: Page, props }: { page: ComponentType<Props>; props: Props }) {
  return <Page {...props} />;
}
