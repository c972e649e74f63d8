import { Component } from "preact";
import type { Sale } from "../api/sale.ts";
import type { Day } from "../format/day.ts";
import type { Format } from "../format/format.ts";
import type { recordsTexts } from "../messages/records.ts";

interface RecordRowProps {
  readonly record: Sale;
  /** From 1, among all rows of the table, the header included. */
  readonly rowIndex: number;
  /** The day of the record. */
  readonly day: Day;
  /** The record above is of another day. */
  readonly isNewDay: boolean;
  readonly format: Format;
  readonly texts: typeof recordsTexts.es;
}

/** One record. A row that stays as it is costs nothing while the list scrolls. */
export class RecordRow extends Component<RecordRowProps> {
  override shouldComponentUpdate(next: RecordRowProps): boolean {
    const { record, rowIndex, isNewDay, format, texts } = this.props;
    return (
      next.record !== record ||
      next.rowIndex !== rowIndex ||
      next.isNewDay !== isNewDay ||
      next.format !== format ||
      next.texts !== texts
    );
  }

  override render({ record, rowIndex, day, isNewDay, format, texts }: RecordRowProps) {
    const { voidReason } = record;
    const date = format.dayName(day, "numeric");
    const styles = ["record"];
    if (isNewDay) styles.push("record-new-day");
    if (voidReason !== null) styles.push("record-void");
    return (
      <tr class={styles.join(" ")} aria-rowindex={rowIndex}>
        <td class="record-date">{date}</td>
        <td class="record-time">
          <time dateTime={format.iso(record.createdTimeMs)}>{format.exactTime(record.createdTimeMs)}</time>
          <span class="record-under">{date}</span>
        </td>
        <th scope="row" class="record-room" title={record.room}>
          <span class="record-number">{record.room}</span>
          <span class="record-under">{`${record.deviceName} · ${record.locationName}`}</span>
        </th>
        <td class="record-device" title={record.deviceName}>
          {record.deviceName}
        </td>
        <td class="record-place" title={record.locationName}>
          {record.locationName}
        </td>
        <td class="record-state">
          <RecordState record={record} texts={texts} isBrief={false} />
        </td>
        <td class="record-value">
          <span class="record-amount">{format.money(record.valor)}</span>
          <span class="record-under">
            <RecordState record={record} texts={texts} isBrief />
          </span>
        </td>
      </tr>
    );
  }
}

interface RecordStateProps {
  readonly record: Sale;
  readonly texts: typeof recordsTexts.es;
  readonly isBrief: boolean;
}

/** What is to be known of a record, in words. */
function RecordState({ record, texts, isBrief }: RecordStateProps) {
  if (record.voidReason !== null) {
    const why = texts.voidedWhy(record.voidReason);
    return (
      <span class="record-mark record-mark-void" title={why}>
        {isBrief ? texts.voided : why}
      </span>
    );
  }
  if (record.isProvisional) {
    return (
      <span class="record-mark record-mark-provisional" title={texts.provisionalWhy}>
        {texts.provisional}
      </span>
    );
  }
  if (record.origin === "found_at_start" && !isBrief) return <span>{texts.foundAtStart}</span>;
  return isBrief ? null : <span>{texts.counted}</span>;
}
