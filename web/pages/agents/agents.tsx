export function Agents() {
  return (
    <div class="page">
      <h1>Agents</h1>
    </div>
  );
}
