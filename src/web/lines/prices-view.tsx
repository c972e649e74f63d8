import type { Device, Wiring } from "../api/shapes.ts";
import { DataTable } from "../element/data-table.tsx";
import { Dialog, DialogButton, useFinish } from "../element/dialog.tsx";
import { Nothing, NotReadyPanel, Panel } from "../element/notice.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat } from "../live/gateway.ts";
import { useLoaded, useNewDay } from "../live/use-loaded.ts";
import { frameTexts } from "../messages/frame.ts";
import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/use-language.ts";
import { usePriceText } from "./paid-field.tsx";
import { PlannedPrices, PriceDialog, PriceList } from "./prices.tsx";

interface PricedRooms {
  readonly devices: readonly Device[];
  readonly wirings: readonly Wiring[];
}

/** The owner's view of what each room costs. */
export function PricesView() {
  const texts = useTexts(linesTexts);
  const title = useTexts(frameTexts).nav.prices;
  const loaded = useLoaded<PricedRooms>(
    async (api) => {
      const [devices, wirings] = await Promise.all([api.data("/api/device"), api.data("/api/wiring")]);
      return { devices, wirings };
    },
    "",
    ["locations"],
  );
  // A planned price begins with its day.
  useNewDay(loaded.reload);
  const known = loaded.value;
  const onDone = useFinish(loaded.reload);
  return (
    <ViewFrame
      title={title}
      intro={texts.pricesIntro}
      actions={
        known !== undefined &&
        known.wirings.length > 0 && (
          <DialogButton kind="main" dialog={<PriceDialog board={known} onDone={onDone} />}>
            {texts.prices}
          </DialogButton>
        )
      }
    >
      <NotReadyPanel of={loaded} />
      {known !== undefined && (
        <Panel title={texts.pricesNow}>
          <PlannedPrices onDone={onDone} />
          {known.wirings.length === 0 ? (
            <Nothing title={texts.wiredNone} detail={texts.pricesNoneDetail} />
          ) : (
            <PriceTable {...known} />
          )}
        </Panel>
      )}
    </ViewFrame>
  );
}

function PriceTable({ devices, wirings }: PricedRooms) {
  const texts = useTexts(linesTexts);
  const { compare } = useFormat();
  const priceText = usePriceText();
  const placeOf = ({ dId }: Wiring) => {
    const device = devices.find((one) => one.dId === dId);
    return device === undefined ? dId : `${device.locationName} · ${device.name}`;
  };
  const rows = wirings
    .map((wiring) => ({ wiring, place: placeOf(wiring) }))
    .sort(
      (one, other) =>
        compare(one.place, other.place) || compare(one.wiring.actuatorId, other.wiring.actuatorId),
    );
  return (
    <DataTable
      caption={texts.pricesNow}
      rows={rows}
      keyOf={({ wiring }) => wiring.line}
      columns={[
        {
          title: texts.room,
          isName: true,
          cell: ({ wiring, place }) => (
            <span class="words">
              <strong class="large">{wiring.actuatorId}</strong>
              <span class="soft">{place}</span>
            </span>
          ),
        },
        {
          title: texts.price,
          cell: ({ wiring }) => <b>{priceText({ ...wiring, valor: wiring.valor ?? 0 })}</b>,
        },
      ]}
      actions={({ wiring }) => (
        <DialogButton
          kind="quiet"
          label={texts.pricesOf(wiring.actuatorId)}
          dialog={
            <Dialog title={texts.pricesOf(wiring.actuatorId)}>
              <PriceList wiring={wiring} />
            </Dialog>
          }
        >
          {texts.priceHistory}
        </DialogButton>
      )}
    />
  );
}
