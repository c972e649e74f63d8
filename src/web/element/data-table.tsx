import type { ComponentChildren } from "preact";

interface Column<R> {
  readonly key: string;
  readonly title: string;
  /** Numbers stand at the end of their column. */
  readonly isNumber?: boolean;
  /** The column that names the row. One at most. */
  readonly isName?: boolean;
  readonly cell: (row: R) => ComponentChildren;
}

interface DataTableProps<R> {
  /** Names the table; heard, and seen only with `showCaption`. */
  readonly caption: string;
  readonly showCaption?: boolean;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly keyOf: (row: R) => string | number;
  /** Cells of a last row that sums up, one per column. */
  readonly foot?: readonly ComponentChildren[];
}

/** Rows and columns. On a phone each row becomes a card whose cells carry their column's title. */
export function DataTable<R>({
  caption,
  showCaption = false,
  columns,
  rows,
  keyOf,
  foot,
}: DataTableProps<R>) {
  return (
    <table class="table">
      <caption class={showCaption ? undefined : "aloud"}>{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.key} scope="col" class={column.isNumber ? "number" : undefined}>
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column) =>
              column.isName ? (
                <th key={column.key} scope="row" data-title={column.title}>
                  {column.cell(row)}
                </th>
              ) : (
                <td key={column.key} class={column.isNumber ? "number" : undefined} data-title={column.title}>
                  {column.cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
      {foot !== undefined && (
        <tfoot>
          <tr>
            {columns.map((column, index) => (
              <td key={column.key} class={column.isNumber ? "number" : undefined} data-title={column.title}>
                {foot[index]}
              </td>
            ))}
          </tr>
        </tfoot>
      )}
    </table>
  );
}
