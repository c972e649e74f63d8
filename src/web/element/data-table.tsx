import type { ComponentChildren } from "preact";
import { elementTexts } from "../messages/element.ts";
import { useTexts } from "../messages/use-language.ts";

interface Column<R> {
  /** No other column has it. */
  readonly title: string;
  /** Numbers stand at the end of their column. */
  readonly isNumber?: boolean;
  /** The column that names the row. One at most. */
  readonly isName?: boolean;
  /** `whole`: its words stand on one line. `short`: most are short, and those do not break. */
  readonly class?: string;
  readonly cell: (row: R) => ComponentChildren;
}

export interface DataTableProps<R> {
  /** Names the table to screen readers. */
  readonly caption: string;
  /** Of a table that has a form of its own on a phone; else each row becomes a card there. */
  readonly class?: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly keyOf: (row: R) => string | number;
  /** Of a row that stands out. */
  readonly rowClass?: (row: R) => string | undefined;
  /** The buttons for a row, which stand in a last column and on no paper; null for a row without any. */
  readonly actions?: ((row: R) => ComponentChildren) | undefined;
  /** Cells of a last row that sums up, one per column. */
  readonly foot?: readonly ComponentChildren[];
}

/** Rows and columns. A cell carries its column's title, which a card shows. */
export function DataTable<R>({ caption, rows, keyOf, foot, actions, ...props }: DataTableProps<R>) {
  const { class: style = "table-cards" } = props;
  const texts = useTexts(elementTexts);
  const columns = [...props.columns];
  if (actions !== undefined) {
    columns.push({
      title: texts.actions,
      class: "unprinted",
      cell: (row) => {
        const buttons = actions(row);
        return buttons && <span class="row-do">{buttons}</span>;
      },
    });
  }
  return (
    <table class={`table ${style}`}>
      <caption class="aloud">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.title} scope="col" class={classOf(column)}>
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} class={props.rowClass?.(row)}>
            {columns.map((column) => cellOf(column, column.cell(row)))}
          </tr>
        ))}
      </tbody>
      {foot !== undefined && (
        <tfoot>
          <tr>{columns.map((column, index) => cellOf(column, foot[index]))}</tr>
        </tfoot>
      )}
    </table>
  );
}

function cellOf<R>(column: Column<R>, content: ComponentChildren) {
  const props = { class: classOf(column), "data-title": column.title };
  return column.isName ? (
    <th key={column.title} scope="row" {...props}>
      {content}
    </th>
  ) : (
    <td key={column.title} {...props}>
      {content}
    </td>
  );
}

function classOf<R>({ isNumber, class: style }: Column<R>): string | undefined {
  return isNumber ? ["number", style].filter(Boolean).join(" ") : style;
}
