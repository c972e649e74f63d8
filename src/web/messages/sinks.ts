import { bilingual, type Pair } from "../../domain/language.ts";
import type { SetupName } from "../../domain/sink.ts";

type TextBy<Name extends string> = Readonly<Record<Name, Pair<string>>>;

const names: TextBy<SetupName> = {
  email: ["Correo", "E-mail"],
  webhook: ["Webhook", "Webhook"],
  pulse: ["Pulso", "Pulse"],
  mqtt: ["MQTT", "MQTT"],
  central: ["Base de datos de la empresa", "The company's database"],
  remote: ["Copias fuera de la casa", "Backups outside of the house"],
  notice: ["Avisos", "Notices"],
  update: ["Actualizaciones", "Updates"],
};

const means: TextBy<SetupName> = {
  email: [
    "Los avisos llegan a estas personas. El resumen lleva las ventas: quien lo recibe las ve.",
    "Notices reach these people. A summary has the sales: everybody who gets it sees them.",
  ],
  webhook: [
    "Los avisos llegan a otro programa, por HTTPS y firmados.",
    "Notices reach another program, by HTTPS and signed.",
  ],
  pulse: [
    "El equipo llama cada minuto a un servicio externo, como healthchecks.io o Uptime Kuma, que avisa si las llamadas cesan o dicen que algo falla. No lleva ventas ni nombres.",
    "Every minute the gateway calls a service elsewhere, such as healthchecks.io or Uptime Kuma, which tells you once the calls cease or say that something is wrong. It has no sales and no names.",
  ],
  mqtt: [
    "Las ventas y el estado de cada habitación llegan a un servidor MQTT, como el de Home Assistant.",
    "Sales and the state of each room reach an MQTT server, such as Home Assistant's.",
  ],
  central: [
    "Cada venta llega a la base de datos de la empresa, que le da la dirección y la contraseña.",
    "Every sale reaches the company's database; the company gives you the address and the password.",
  ],
  remote: [
    "Cada copia de seguridad va también a otro sitio, cifrada: un incendio o un robo no se la lleva. Hace falta rclone en el equipo.",
    "Each backup goes to another place too, encrypted: no fire and no thief takes it. The gateway needs rclone.",
  ],
  notice: [
    "Qué dicen los avisos por correo y webhook, y cuándo.",
    "What the notices by e-mail and webhook say, and when.",
  ],
  update: [
    "El equipo busca actualizaciones una vez en estas horas, con una copia de seguridad recién comprobada, y no mientras se prueban líneas. Al instalar una versión nueva el servicio se reinicia unos segundos: elija horas sin ventas.",
    "The gateway looks for updates once in these hours, with a backup that was just proved, and not while lines are tested. A new version restarts the service for some seconds: choose hours without sales.",
  ],
};

const labels: TextBy<string> = {
  email_server: ["Servidor de correo", "Mail server"],
  email_login: ["Usuario del servidor", "Login"],
  email_password: ["Contraseña del servidor", "Password of the login"],
  email_from: ["Remitente", "Sender"],
  email_to: ["Destinatarios", "Recipients"],
  webhook_url: ["Dirección", "Address"],
  webhook_key: ["Clave de la firma", "Key of the signature"],
  pulse_url: ["Dirección que se llama", "Address to call"],
  mqtt_url: ["Servidor MQTT", "MQTT server"],
  mqtt_login: ["Usuario del servidor", "Login"],
  mqtt_password: ["Contraseña del servidor", "Password of the login"],
  mqtt_topic: ["Comienzo de los temas", "What topics begin with"],
  mqtt_discovery_topic: ["Temas de Home Assistant", "Topics of Home Assistant"],
  mqtt_history: ["También las ventas anteriores", "Earlier sales too"],
  central_database: ["Dirección de la base de datos", "Address of the database"],
  central_password: ["Contraseña", "Password"],
  remote_address: ["Dirección", "Address"],
  remote_login: ["Usuario", "Login"],
  remote_password: ["Contraseña o clave", "Password or key"],
  remote_host_key: ["Clave del servidor SFTP (opcional)", "Key of the SFTP host (optional)"],
  remote_limit: ["Velocidad máxima, en kB/s", "Highest speed, in kB/s"],
  notice_language: ["Idioma de los avisos", "Language of the notices"],
  notice_quiet_hours: ["Horas de silencio", "Quiet hours"],
  notice_silent_days: ["Días sin ventas", "Days without sales"],
  notice_summaries: ["Resúmenes", "Summaries"],
  update_hours: ["Horas de las actualizaciones", "Hours of the updates"],
};

const noLogin: Pair<string> = ["Vacío si no pide usuario.", "Empty if the server asks for none."];

/** What a field takes, where its label does not say it. It stays in sight beside what is wrong. */
const hints: TextBy<string> = {
  email_server: [
    "Como smtps://correo.example.org:465 o smtp://correo.example.org:587.",
    "Like smtps://mail.example.org:465 or smtp://mail.example.org:587.",
  ],
  email_login: noLogin,
  email_from: ["La dirección desde la que se envía.", "The address that it is sent from."],
  email_to: [
    "Direcciones separadas por comas, 20 como mucho.",
    "Addresses with commas between them, 20 at most.",
  ],
  webhook_url: ["Como https://avisos.example.org/flanco.", "Like https://hooks.example.org/flanco."],
  webhook_key: [
    "Al menos 32 caracteres, los mismos en el receptor.",
    "At least 32 characters, the same at the receiver.",
  ],
  pulse_url: [
    "Como https://hc-ping.com/… o https://vigilante.example.org/api/push/…, tal como la da el servicio.",
    "Like https://hc-ping.com/… or https://monitor.example.org/api/push/…, as the service gives it.",
  ],
  mqtt_url: [
    "Como mqtts://servidor.example.org:8883 o mqtt://servidor.example.org:1883.",
    "Like mqtts://broker.example.org:8883 or mqtt://broker.example.org:1883.",
  ],
  mqtt_login: noLogin,
  mqtt_topic: ["Lo habitual es flanco.", "Usually it is flanco."],
  mqtt_discovery_topic: [
    "Lo habitual es homeassistant. Vacío: las habitaciones no se anuncian.",
    "Usually it is homeassistant. Empty: rooms are not announced.",
  ],
  mqtt_history: [
    "La primera vez se envían todas las ventas, en su orden.",
    "The first time all sales are sent, in their order.",
  ],
  central_database: [
    "Como postgresql://flanco_norte@db.example.org/empresa.",
    "Like postgresql://flanco_north@db.example.org/company.",
  ],
  central_password: [
    "La que la empresa creó para este equipo.",
    "The one that the company made for this gateway.",
  ],
  remote_address: [
    "Como sftp://servidor.example.org/carpeta, https://… (WebDAV), s3://servidor/cubo/carpeta o smb://servidor/recurso/carpeta.",
    "Like sftp://host.example.org/folder, https://… (WebDAV), s3://host/bucket/folder or smb://host/share/folder.",
  ],
  remote_login: ["En S3, el identificador de la clave.", "With S3, the key's id."],
  remote_password: ["En S3, la clave secreta.", "With S3, the secret key."],
  remote_host_key: [
    "Como ssh-ed25519 AAAA…; vacío: se acepta cualquiera, y otro equipo podría hacerse pasar por él.",
    "Like ssh-ed25519 AAAA…; empty: any is accepted, and another machine could stand in for it.",
  ],
  remote_limit: [
    "Para no ocupar toda la línea; 0: lo habitual, 1000.",
    "So that it does not fill the line; 0: the usual 1000.",
  ],
  notice_quiet_hours: [
    "Los avisos esperan. Como 22:00-07:00; vacío: nunca.",
    "Notices wait. Like 22:00-07:00; empty: never.",
  ],
  notice_silent_days: [
    "Avisa de una habitación que suele vender y lleva estos días sin ventas, hasta 60; 0: nunca.",
    "Tells of a room that usually sells and has not for so many days, up to 60; 0: never.",
  ],
  update_hours: ["Como 04:00-06:00; vacío: nunca.", "Like 04:00-06:00; empty: never."],
  notice_summaries: ["Llegan a las 7 de la mañana.", "They come at 7 in the morning."],
};

const choices: TextBy<string> = {
  es: ["Español", "Spanish"],
  en: ["Inglés", "English"],
  daily: ["De cada día", "Of each day"],
  monthly: ["De cada mes", "Of each month"],
};

/** Where the gateway sends what it has: its state and its forms. Fields by their keys of `src/domain/sink.ts`. */
export const sinkTexts = bilingual({
  title: ["Qué envía el equipo", "What the gateway sends"],
  intro: [
    "Todo se guarda aquí primero: ninguna venta espera a un envío, y lo que no llega se envía después.",
    "Everything is kept here first: no sale waits to be sent, and what does not arrive is sent later.",
  ],
  noticesIntro: [
    "A quién avisa el equipo cuando algo falla, y quién recibe el resumen de las ventas.",
    "Whom the gateway tells when something is wrong, and who gets the summary of the sales.",
  ],
  toPeople: ["Correo y resúmenes", "E-mail and summaries"],
  toPeopleIntro: [
    "El correo dice a quién; los avisos, qué: los fallos, y si se quiere el resumen de cada día o de cada mes.",
    "E-mail says whom; notices say what: faults, and if wanted the summary of each day or of each month.",
  ],
  toPrograms: ["Para el técnico", "For the technician"],
  toProgramsIntro: [
    "Avisos a otros programas, un vigilante externo y la base de datos de la empresa",
    "Notices to other programs, a monitor elsewhere, and the company's database",
  ],
  provider: ["Proveedor de correo", "Mail provider"],
  providerOther: ["Otro", "Another"],
  providerHint: [
    "Rellena el servidor. Gmail, Yahoo e iCloud piden una contraseña de aplicación, que se crea en su cuenta; Microsoft 365, que su administrador permita SMTP con contraseña.",
    "It fills in the server. Gmail, Yahoo and iCloud ask for an app password, made in your account; with Microsoft 365 its administrator has to permit SMTP with a password.",
  ],
  names,
  means,
  off: ["Apagado", "Off"],
  noticeUsual: ["Solo los fallos, a cualquier hora", "Faults alone, at any hour"],
  noticeOwn: ["Como se ha elegido aquí", "As chosen here"],
  upToDate: ["Al día", "Up to date"],
  waiting: (count: string, age: string) => [
    `Esperan ${count}, desde hace ${age}`,
    `${count} waiting, for ${age}`,
  ],
  behind: (age: string) => [`Con retraso, desde hace ${age}`, `Behind, for ${age}`],
  failing: ["No llega", "Nothing arrives"],
  failingSince: (tries: string, since: string) => [
    `Intentos seguidos sin llegar: ${tries}, desde ${since}.`,
    `Tries in a row that failed: ${tries}, since ${since}.`,
  ],
  failingTodo: [
    "Compruebe la dirección, la contraseña y la red, y envíe una prueba. No se pierde nada: se sigue intentando.",
    "Check the address, the password and the network, and send a test. Nothing is lost: it is tried again.",
  ],
  pulseFailingTodo: [
    "Compruebe la dirección y la red, y envíe una prueba. Mientras tanto el servicio externo cree que el equipo calla.",
    "Check the address and the network, and send a test. Meanwhile the service believes that the gateway is silent.",
  ],
  forTechnician: ["Para el técnico:", "For the technician:"],
  delivered: (moment: string) => [`Última entrega: ${moment}.`, `Last delivery: ${moment}.`],
  neverDelivered: ["Todavía no se ha entregado nada.", "Nothing was delivered yet."],
  remoteAge: (age: string) => [
    `La copia más reciente allí es de hace ${age}.`,
    `The newest backup there is ${age} old.`,
  ],
  sheet: {
    missing: [
      "Falta imprimir la frase: todavía no se envía nada",
      "The passphrase is not printed: nothing is sent yet",
    ],
    make: ["Crear la frase e imprimirla", "Make the passphrase and print it"],
    makeAnother: ["Crear otra frase", "Make another passphrase"],
    firstMeans: [
      [
        "El equipo crea una frase con la que se cifra cada copia, y la enseña una sola vez.",
        "Imprímala y guárdela fuera de la casa: sin ella nadie puede recuperar las copias, tampoco nosotros.",
      ],
      [
        "The gateway makes a passphrase that each backup is encrypted with, and shows it once.",
        "Print it and keep it outside of the house: without it nobody can bring the backups back, nor can we.",
      ],
    ],
    nextMeans: [
      [
        "Las copias siguientes se cifran con otra frase, que se enseña una sola vez.",
        "Conserve también la hoja anterior: las copias que ya están allí siguen con la suya.",
      ],
      [
        "The next backups are encrypted with another passphrase, which is shown once.",
        "Keep the sheet before it too: the backups that are there already keep theirs.",
      ],
    ],
    title: ["Hoja para recuperar la clínica", "Sheet that brings the clinic back"],
    print: ["Imprimir", "Print"],
    done: ["Ya está impresa", "It is printed"],
    once: [
      "Imprima esta hoja ahora: la frase no se vuelve a mostrar.",
      "Print this sheet now: the passphrase is not shown again.",
    ],
    gateway: ["Equipo", "Gateway"],
    passphrase: ["Frase", "Passphrase"],
    byHand: [
      "Escríbala aquí a mano: ______________________",
      "Write it here by hand: ______________________",
    ],
    howTitle: ["En un equipo nuevo", "On a new gateway"],
    how: [
      [
        "Prepare el equipo o la tarjeta nueva, con red y con rclone (apt-get install rclone).",
        "Escriba en él: sudo flanco restore --from-remote",
        "Responda con la dirección, el usuario, la contraseña y la frase de esta hoja.",
      ],
      [
        "Prepare the new gateway or card, with network and rclone (apt-get install rclone).",
        "Type on it: sudo flanco restore --from-remote",
        "Answer with the address, the login, its password and the passphrase of this sheet.",
      ],
    ],
    keep: [
      "Guárdela fuera de la casa, donde guarda contratos. Quien la tenga puede leer las ventas.",
      "Keep it outside of the house, where contracts are. Whoever has it can read the sales.",
    ],
  },
  givenUp: (count: string) => [
    `Avisos que el otro lado rechazó y no tiene: ${count}.`,
    `Notices that the other side refused and does not have: ${count}.`,
  ],
  setUp: ["Configurar", "Set up"],
  change: ["Cambiar", "Change"],
  turnOff: ["Apagar", "Turn off"],
  usual: ["Volver a lo habitual", "Back to the usual"],
  test: ["Enviar una prueba", "Send a test"],
  testWaits: [
    "Enviando la prueba: puede tardar medio minuto.",
    "Sending the test: it may take half a minute.",
  ],
  reached: ["La prueba ha llegado.", "The test has arrived."],
  notReached: ["La prueba no ha llegado.", "The test has not arrived."],
  busy: ["Ya hay una prueba en marcha. Espere un momento.", "A test is under way already. Wait a moment."],
  of: (action: string, name: string) => [`${action}: ${name}`, `${action}: ${name}`],
  offMeans: [
    [
      "Se olvidan su dirección y su contraseña.",
      "Las ventas no se pierden: quedan en este equipo, y se envían si lo vuelve a configurar.",
    ],
    [
      "Its address and its password are forgotten.",
      "No sale is lost: they stay in this gateway, and are sent if you set it up again.",
    ],
  ],
  pulseOffMeans: [
    ["Se olvida su dirección.", "El servicio externo avisará de que el equipo calla: páuselo también allí."],
    ["Its address is forgotten.", "The service will tell of a silent gateway: pause it there too."],
  ],
  usualMeans: [
    ["Los avisos vuelven a ser los de un equipo nuevo: solo los fallos, a cualquier hora."],
    ["Notices are again those of a new gateway: faults alone, at any hour."],
  ],
  saved: (name: string) => [
    `${name}: guardado, ya en marcha. Envíe una prueba.`,
    `${name}: saved and in force. Send a test.`,
  ],
  savedNotice: ["Guardado.", "Saved."],
  turnedOff: (name: string) => [`${name}: apagado.`, `${name}: turned off.`],
  storedHint: [
    "Guardada, no se muestra. Escríbala de nuevo solo para cambiarla.",
    "Stored, and not shown. Type it again only to change it.",
  ],
  again: [
    "Escríbala de nuevo: iría a otro sitio que antes.",
    "Type it again: it would go to another place than before.",
  ],
  certificate: ["Certificado propio (opcional)", "Own certificate (optional)"],
  certificateHint: [
    "Solo si el servidor lo tiene de una autoridad propia: el de esa autoridad, entero, en PEM.",
    "Only where an authority of your own signs the server's: that authority's, whole, in PEM.",
  ],
  labels,
  hints,
  choices,
});
