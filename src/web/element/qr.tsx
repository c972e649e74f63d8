import { encode } from "uqr";

/** Modules of white around the code, by which a camera finds it (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** A text as a QR code; `label` says what it is. Black on white in both themes, as cameras expect. */
export function Qr({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { border: QUIET_ZONE });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join("")} fill="#000" />
    </svg>
  );
}
