/** The product's name behind its sign, a rising edge. */
export function Wordmark() {
  return (
    <span class="wordmark">
      <svg viewBox="0 0 28 24" aria-hidden="true">
        <path d="M2 19h10V5h14" />
      </svg>
      flanco
    </span>
  );
}
