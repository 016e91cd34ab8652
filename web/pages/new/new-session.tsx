export function NewSession({ directory }: { directory?: string }) {
  return (
    <div class="page">
      <h1>New session</h1>
      <p>{directory}</p>
    </div>
  );
}
