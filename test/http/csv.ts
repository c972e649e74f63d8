/** Reads comma-separated values as RFC 4180 has them; every row must end with CR LF. */
export function parseCsv(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let inQuotes = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? "";
    if (inQuotes) {
      if (character !== '"') cell += character;
      else if (text[index + 1] === '"') {
        cell += '"';
        index += 1;
      } else inQuotes = false;
    } else if (character === '"' && cell === "") {
      inQuotes = true;
    } else if (character === separator) {
      row.push(cell);
      cell = "";
    } else if (character === "\r" && text[index + 1] === "\n") {
      rows.push([...row, cell]);
      row = [];
      cell = "";
      index += 1;
    } else if (character === "\r" || character === "\n" || character === '"') {
      throw new Error(`A bare ${JSON.stringify(character)} at ${index}.`);
    } else {
      cell += character;
    }
  }
  if (cell !== "" || row.length > 0 || inQuotes) throw new Error("The last row has no end.");
  return rows;
}
