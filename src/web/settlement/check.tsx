import { useState } from "preact/hooks";
import type { SettlementCheck } from "../api/shapes.ts";
import { DialogForm } from "../element/dialog.tsx";
import { TextField } from "../element/field.tsx";
import { useForm } from "../element/form.tsx";
import { amountOf } from "../lines/price.ts";
import { useGateway } from "../live/gateway.ts";
import { settlementTexts } from "../messages/settlement.ts";
import { useTexts } from "../messages/use-language.ts";

/** Holds a paper to the ledger. */
export function CheckDialog() {
  const { check: texts, amountMistake } = useTexts(settlementTexts);
  const { api, format } = useGateway();
  const [result, setResult] = useState<SettlementCheck | null>(null);
  const form = useForm({ which: "", net: "" });
  const { which, net } = form.values;
  // What a camera reads has the command before the digits.
  const digits = which.replaceAll(/[\s:]/g, "").toLowerCase();
  const hash = /[0-9a-f]{16,64}$/.exec(digits)?.[0];
  const number = /^\d{1,15}$/.exec(digits)?.[0];
  const isNamed = hash !== undefined || number !== undefined;
  // Refunds and corrections may be more than what was sold.
  const sign = /^\s*[-−]/.test(net) ? "-" : "";
  const amount = amountOf(net.replace(/[-−]/, ""), format);
  const isAmount = net.trim() === "" || amount !== undefined;
  const send = () => {
    setResult(null);
    return form.submit(isNamed && isAmount, async () => {
      const query = {
        ...(hash === undefined ? { number } : { hash }),
        ...(amount !== undefined && { net: `${sign}${amount}` }),
      };
      setResult(await api.data("/api/settlement/check", query));
    });
  };
  return (
    <DialogForm title={texts.title} form={form} onSubmit={send} action={texts.action}>
      <p class="soft">{texts.intro}</p>
      <TextField label={texts.which} {...form.checked("which", isNamed, texts.whichMistake)} />
      <TextField label={texts.net} {...form.checked("net", isAmount, amountMistake)} />
      <div role="status">{result !== null && <Result result={result} />}</div>
    </DialogForm>
  );
}

function Result({ result: { found, net, netIsRight, differences } }: { readonly result: SettlementCheck }) {
  const texts = useTexts(settlementTexts).check;
  const { format } = useGateway();
  if (found === null || net === null) return <p class="bad strong">{texts.unknown}</p>;
  return (
    <>
      <p class="strong">{texts.found(format.spanName(found.month), format.money(net))}</p>
      {netIsRight === false && <p class="bad strong">{texts.wrongNet}</p>}
      {differences.length === 0 ? (
        <p class="good strong">{texts.right}</p>
      ) : (
        <ul class="prose bad">
          {differences.map(({ part, name, settled, ledger }) => {
            const text = part === "numbers" ? format.count : format.money;
            return (
              <li key={`${part} ${name}`}>
                {part === "entry"
                  ? texts.parts.entry
                  : texts.differs(texts.parts[part], name, text(settled), text(ledger))}
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}
