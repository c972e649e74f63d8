import { useState } from "preact/hooks";
import { CERTIFICATE_PATH } from "../../domain/gateway.ts";
import { LINK_PATH, type Reach } from "../../domain/member.ts";
import type { Answer, Member } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { Dialog, useDialogs } from "../element/dialog.tsx";
import { Qr } from "../element/qr.tsx";
import { useGateway } from "../live/gateway.ts";
import { elementTexts } from "../messages/element.ts";
import { peopleTexts } from "../messages/people.ts";
import { useTexts } from "../messages/use-language.ts";
import { reachOf } from "./reach.ts";

interface WayInProps {
  readonly member: Pick<Member, "name" | "email">;
  readonly made: Answer<"post", "/api/member/link">["data"];
}

/** What lets a member in, to hand over: a link, or a program's key. It is not shown again. */
export function WayInDialog({ member, made: { token, key, reach } }: WayInProps) {
  return key === null ? (
    <LinkDialog member={member} secret={token ?? ""} reach={reach} />
  ) : (
    <KeyDialog member={member} secret={key} reach={reach} />
  );
}

interface SecretProps extends Pick<WayInProps, "member"> {
  readonly secret: string;
  readonly reach: Reach;
}

/**
 * The link: as a QR code and as a text. Before it stands the way to trust the gateway,
 * without which a new device stops at a warning. The two are apart: that page comes unencrypted, and must not hold the token.
 */
function LinkDialog({ member, secret, reach }: SecretProps) {
  const texts = useTexts(peopleTexts);
  const { page, trust } = reachOf(location, reach);
  const link = `${page ?? location.origin}${LINK_PATH}#${secret}/${member.email}`;
  return (
    <Dialog title={texts.linkTitle(member.name)}>
      {trust !== null && (
        <>
          <h3>{texts.trustFirst}</h3>
          <p>{texts.trustWhy}</p>
          <Qr text={trust} label={texts.trustQr} />
          <p>
            <code>{trust}</code>
          </p>
          <h3>{texts.thenLink}</h3>
        </>
      )}
      <p>{texts.linkHand(member.name)}</p>
      {page === null ? <p>{texts.onlyHere}</p> : <Qr text={link} label={texts.qr} />}
      <p>
        <code>{link}</code>
      </p>
      <p class="fine">{texts.linkOnce}</p>
      <CopyButtons text={link} action={texts.copy} />
    </Dialog>
  );
}

/** A program's key, and how a program uses it. The key stands in a file: an argument would be seen by others. */
function KeyDialog({ member: { name, email }, secret, reach }: SecretProps) {
  const texts = useTexts(peopleTexts);
  const { now } = useGateway();
  const { page, trust } = reachOf(location, reach);
  const site = page ?? location.origin;
  const curl = trust === null ? "curl" : "curl --cacert ca.pem";
  const json = "-H 'Content-Type: application/json'";
  const example = [
    "umask 077",
    ...(trust === null
      ? []
      : [
          `# ${texts.exampleCa}`,
          `curl -o ca.der ${new URL(CERTIFICATE_PATH, trust)}`,
          "openssl x509 -inform der -in ca.der -out ca.pem",
        ]),
    `# ${texts.exampleKey}`,
    JSON.stringify({ email, password: secret }),
    `# ${texts.exampleIn}`,
    `${curl} -c sesion.txt ${json} -d @clave.json ${site}/api/login`,
    `# ${texts.exampleSale}`,
    `${curl} -b sesion.txt ${json} -H 'Idempotency-Key: 7234-101-1' -d '${JSON.stringify({
      locationName: "Clínica Norte",
      deviceName: "Pasillo A",
      deviceId: "7234",
      habitacion: "101",
      valor: 4.5,
      createdTime: Math.floor(now()),
    })}' ${site}/api/data`,
  ].join("\n");
  return (
    <Dialog title={texts.keyTitle(name)}>
      <p>{texts.keyOnce}</p>
      <p class="lines">
        <span class="label soft">{texts.keyEmail}</span>
        <code>{email}</code>
      </p>
      <p class="lines">
        <span class="label soft">{texts.key}</span>
        <code>{secret}</code>
      </p>
      <CopyButtons text={secret} action={texts.copyKey} />
      <details>
        <summary>{texts.example}</summary>
        <pre class="fine">{example}</pre>
      </details>
    </Dialog>
  );
}

/** Copies what lets a member in, and closes the dialog. */
function CopyButtons({ text, action }: { readonly text: string; readonly action: string }) {
  const { copied } = useTexts(peopleTexts);
  const { close } = useTexts(elementTexts);
  const { open } = useDialogs();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    // A browser may refuse it; the text stands there to be copied by hand.
    await navigator.clipboard.writeText(text).then(() => setCopied(true), console.warn);
  };
  return (
    <>
      <p class="aloud" role="status">
        {isCopied && copied}
      </p>
      <div class="actions row">
        <Button kind="main" onPress={() => void copy()}>
          {isCopied ? copied : action}
        </Button>
        <Button onPress={() => open(null)}>{close}</Button>
      </div>
    </>
  );
}
