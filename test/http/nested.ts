/** JSON of so many lists within each other. */
export function nested(levels: number): string {
  return `${"[".repeat(levels)}${"]".repeat(levels)}`;
}
