/** The image's file: for which machines, packed. */
export function imageName(version: string): string {
  return `flanco-${version}-rpi-arm64.img.xz`;
}
