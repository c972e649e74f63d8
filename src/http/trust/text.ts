import { bilingual } from "../../domain/language.ts";

export const trustTexts = bilingual({
  title: ["Confíe en este equipo", "Trust this appliance"],
  lead: [
    "Este equipo cifra todo lo que le envía. Para que su navegador sepa que habla con él, y no con otro, dígaselo una sola vez en cada ordenador, tableta o teléfono.",
    "This appliance encrypts all that it sends you. For your browser to know that it talks to the appliance, and to nobody else, tell it once on each computer, tablet or phone.",
  ],
  trusted: ["Este navegador ya confía en el equipo.", "This browser trusts the appliance already."],
  otherLanguage: ["English", "Español"],
  download: {
    title: ["1. Descargue el certificado", "1. Download the certificate"],
    text: [
      "Si el navegador pregunta, consérvelo. No contiene nada secreto.",
      "If the browser asks, keep it. There is nothing secret in it.",
    ],
    link: ["Descargar flanco-ca.crt", "Download flanco-ca.crt"],
  },
  compare: {
    title: ["2. Compare la huella", "2. Compare the fingerprint"],
    text: [
      "Esta página llega sin cifrar: cualquiera en la red podría haberla cambiado. Por eso compare la huella SHA-256 que su dispositivo muestra del certificado con la que muestra el propio equipo al arrancar, o con la que su técnico lee allí con «flanco tls show». Tiene que ser esta. Si no coinciden, no siga y avise a su técnico.",
      "This page comes unencrypted: anybody on the network could have changed it. So compare the SHA-256 fingerprint that your device shows of the certificate with the one that the appliance itself shows when it starts, or that your technician reads there with “flanco tls show”. It must be this one. If they differ, stop and tell your technician.",
    ],
    label: ["Huella SHA-256", "SHA-256 fingerprint"],
  },
  install: {
    title: ["3. Instálelo", "3. Install it"],
    text: ["Elija su dispositivo:", "Choose your device:"],
    guides: [
      [
        {
          system: "Windows",
          steps: [
            "Para ver la huella, abra la carpeta Descargas, escriba cmd en la barra de direcciones, pulse Intro y escriba: certutil -hashfile flanco-ca.crt SHA256",
            "Abra el fichero descargado con doble clic y pulse «Instalar certificado».",
            "Elija «Usuario actual» y después «Colocar todos los certificados en el siguiente almacén».",
            "Pulse «Examinar», elija «Entidades de certificación raíz de confianza» y acepte hasta el final.",
            "Cierre el navegador y ábralo otra vez. Sirve para Chrome, Edge y Firefox.",
          ],
        },
        {
          system: "Android",
          steps: [
            "Abra Ajustes y busque «certificado CA» (está en Seguridad, Cifrado y credenciales).",
            "Elija «Instalar un certificado», «Certificado CA», «Instalar de todos modos» y el fichero descargado.",
            "Para ver la huella, vaya a «Credenciales de confianza», pestaña «Usuario», y toque el certificado.",
            "Abra la dirección de abajo con Chrome.",
          ],
        },
        {
          system: "iPhone y iPad",
          steps: [
            "Abra esta página con Safari, descargue el certificado y pulse «Permitir».",
            "Abra Ajustes, «Perfil descargado», toque «Más detalles» para ver la huella y pulse «Instalar».",
            "Vaya a Ajustes, General, Información, «Ajustes de confianza de los certificados» y active el de flanco.",
          ],
        },
        {
          system: "macOS",
          steps: [
            "Abra el fichero descargado: se abre Acceso a Llaveros. Añádalo al llavero «inicio de sesión».",
            "Búsquelo por «flanco», ábralo con doble clic y compare la huella SHA-256 al final de los detalles.",
            "Despliegue «Confiar», elija «Confiar siempre» y cierre la ventana.",
          ],
        },
        {
          system: "Firefox",
          steps: [
            "En Windows y macOS basta con instalarlo como se dice arriba. En otros sistemas, abra Ajustes, Privacidad y seguridad, «Ver certificados».",
            "En la pestaña «Autoridades» pulse «Importar» y elija el fichero descargado.",
            "Pulse «Ver» para comparar la huella SHA-256, marque «Confiar en esta CA para identificar sitios web» y acepte.",
          ],
        },
      ],
      [
        {
          system: "Windows",
          steps: [
            "To see the fingerprint, open the Downloads folder, type cmd in its address bar, press Enter and type: certutil -hashfile flanco-ca.crt SHA256",
            "Double-click the downloaded file and press “Install Certificate”.",
            "Choose “Current User”, then “Place all certificates in the following store”.",
            "Press “Browse”, choose “Trusted Root Certification Authorities” and accept to the end.",
            "Close the browser and open it again. This serves Chrome, Edge and Firefox.",
          ],
        },
        {
          system: "Android",
          steps: [
            "Open Settings and search for “CA certificate” (it is under Security, Encryption & credentials).",
            "Choose “Install a certificate”, “CA certificate”, “Install anyway” and the downloaded file.",
            "To see the fingerprint, go to “Trusted credentials”, tab “User”, and tap the certificate.",
            "Open the address below with Chrome.",
          ],
        },
        {
          system: "iPhone and iPad",
          steps: [
            "Open this page with Safari, download the certificate and press “Allow”.",
            "Open Settings, “Profile Downloaded”, tap “More Details” to see the fingerprint, and press “Install”.",
            "Go to Settings, General, About, “Certificate Trust Settings” and switch flanco's on.",
          ],
        },
        {
          system: "macOS",
          steps: [
            "Open the downloaded file: Keychain Access opens. Add it to the “login” keychain.",
            "Find it by “flanco”, double-click it and compare the SHA-256 fingerprint at the end of its details.",
            "Unfold “Trust”, choose “Always Trust” and close the window.",
          ],
        },
        {
          system: "Firefox",
          steps: [
            "On Windows and macOS installing it as above is enough. Elsewhere open Settings, Privacy & Security, “View Certificates”.",
            "In the tab “Authorities” press “Import” and choose the downloaded file.",
            "Press “View” to compare the SHA-256 fingerprint, tick “Trust this CA to identify websites” and accept.",
          ],
        },
      ],
    ],
  },
  open: {
    title: ["4. Abra flanco", "4. Open flanco"],
    text: [
      "¿Le han invitado? Abra ahora su enlace, o lea su código. Si no, guarde esta dirección en los favoritos. Con otro dispositivo puede leer el código:",
      "Were you invited? Open your link now, or read its code. If not, keep this address among your bookmarks. Another device can read the code:",
    ],
    link: ["Abrir", "Open"],
    qr: ["Código QR de la dirección", "QR code of the address"],
  },
  safe: {
    title: ["¿Qué permite este certificado?", "What does this certificate allow?"],
    text: [
      "Solo sirve para los nombres de este equipo y para direcciones de redes privadas. Con él nadie puede hacerse pasar por una página de internet. Cada equipo tiene el suyo.",
      "It serves this appliance's own names and addresses of private networks, nothing else. It cannot be used to pose as a page of the internet. Each appliance has its own.",
    ],
  },
});
