export function Inbox() {
  return (
    <div class="page">
      <h1>Inbox</h1>
    </div>
  );
}
