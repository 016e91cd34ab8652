import type { Route } from "../../model/route.ts";

export function SessionPage({ route }: { route: Route & { page: "session" } }) {
  return (
    <div class="page">
      <h1>{route.session}</h1>
    </div>
  );
}
