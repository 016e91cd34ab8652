export function Search({ query }: { query: string }) {
  return (
    <div class="page">
      <h1>Search</h1>
      <p>{query}</p>
    </div>
  );
}
