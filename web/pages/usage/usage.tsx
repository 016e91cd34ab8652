export function Usage() {
  return (
    <div class="page">
      <h1>Usage</h1>
    </div>
  );
}
