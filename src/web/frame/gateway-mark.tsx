import type { Status } from "../api/shapes.ts";

interface GatewayMarkProps {
  readonly mark: Pick<Status["gateway"], "name" | "hue">;
}

/** A gateway's name beside its colour, which says nothing that the name does not. */
export function GatewayMark({ mark: { name, hue } }: GatewayMarkProps) {
  return (
    <span class="gateway-mark">
      <span class="gateway-colour" style={{ "--hue": hue }} aria-hidden="true" />
      <span class="gateway-name">{name}</span>
    </span>
  );
}
