import { type ComponentType, Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";

type Later<Props> = ComponentType<Props> & { load(): Promise<void> };

/** A page that is loaded when it is first shown: most visits never need it. `load` loads it before; it never rejects. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): Later<Props> {
  let loaded: ComponentType<Props> | undefined;
  const take = async (): Promise<boolean> => {
    loaded ??= await load().catch(() => undefined);
    return loaded !== undefined;
  };
  function Later(props: Props) {
    const [, redraw] = useState(0);
    const [failed, fail] = useState(false);
    useEffect(() => {
      if (!loaded) void take().then((done) => (done ? redraw(1) : fail(true)));
    }, []);
    if (failed) return <p class="notice bad">This part could not be loaded: reload the page.</p>;
    return loaded ? <PageOf page={loaded} props={props} /> : <Fragment />;
  }
  return Object.assign(Later, { load: async () => void (await take()) });
}

function PageOf<Props extends object>({ page: Page, props }: { page: ComponentType<Props>; props: Props }) {
  return <Page {...props} />;
}
