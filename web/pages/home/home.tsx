export function Home() {
  return (
    <div class="page">
      <h1>Home</h1>
    </div>
  );
}
