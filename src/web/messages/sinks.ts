import { bilingual, type Pair } from "../../domain/language.ts";
import type { SetupName } from "../../domain/sink-setting.ts";

type TextBy<Name extends string> = Readonly<Record<Name, Pair<string>>>;

const names: TextBy<SetupName> = {
  email: ["Correo", "E-mail"],
  webhook: ["Webhook", "Webhook"],
  mqtt: ["MQTT", "MQTT"],
  central: ["Base de datos de la empresa", "The company's database"],
  notice: ["Avisos", "Notices"],
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
  mqtt: [
    "Las ventas y el estado de cada habitación llegan a un servidor MQTT, como el de Home Assistant.",
    "Sales and the state of each room reach an MQTT server, such as Home Assistant's.",
  ],
  central: [
    "Cada venta llega a la base de datos de la empresa, que le da la dirección y la contraseña.",
    "Every sale reaches the company's database; the company gives you the address and the password.",
  ],
  notice: [
    "Qué dicen los avisos por correo y webhook, y cuándo.",
    "What the notices by e-mail and webhook say, and when.",
  ],
};

/** What is wrong with a field. */
const wrong: TextBy<string> = {
  email_server: [
    "Debe ser como smtps://correo.example.org:465 o smtp://correo.example.org:587.",
    "It must be like smtps://mail.example.org:465 or smtp://mail.example.org:587.",
  ],
  email_from: ["Escriba una dirección de correo.", "Type an e-mail address."],
  email_to: [
    "Escriba direcciones de correo, separadas por comas.",
    "Type e-mail addresses, with commas between them.",
  ],
  webhook_url: ["Debe empezar por https://", "It must begin with https://"],
  webhook_key: ["Al menos 32 caracteres.", "At least 32 characters."],
  mqtt_url: [
    "Debe ser como mqtts://servidor.example.org:8883 o mqtt://servidor.example.org:1883.",
    "It must be like mqtts://broker.example.org:8883 or mqtt://broker.example.org:1883.",
  ],
  central_database: [
    "Debe ser como postgresql://flanco_norte@db.example.org/empresa.",
    "It must be like postgresql://flanco_north@db.example.org/company.",
  ],
  notice_quiet_hours: ["Debe ser como 22:00-07:00.", "It must be like 22:00-07:00."],
  notice_silent_days: ["De 0 a 60 días.", "From 0 to 60 days."],
};

type Words = Pair<{ readonly label: string; readonly hint: string }>;

const login: Words = [
  { label: "Usuario del servidor", hint: "Vacío si no pide usuario." },
  { label: "Login", hint: "Empty if the server asks for none." },
];

const fields: Readonly<Record<string, Words>> = {
  email_server: [
    { label: "Servidor de correo", hint: "Por ejemplo smtps://correo.example.org:465" },
    { label: "Mail server", hint: "For example smtps://mail.example.org:465" },
  ],
  email_login: login,
  email_password: [
    { label: "Contraseña del servidor", hint: "La del usuario." },
    { label: "Password of the login", hint: "At the mail server." },
  ],
  email_from: [
    { label: "Remitente", hint: "La dirección desde la que se envía." },
    { label: "Sender", hint: "The address that it is sent from." },
  ],
  email_to: [
    { label: "Destinatarios", hint: "Separados por comas, 20 como mucho." },
    { label: "Recipients", hint: "With commas between them, 20 at most." },
  ],
  webhook_url: [
    { label: "Dirección", hint: "Por ejemplo https://avisos.example.org/flanco" },
    { label: "Address", hint: "For example https://hooks.example.org/flanco" },
  ],
  webhook_key: [
    { label: "Clave de la firma", hint: "Al menos 32 caracteres, la misma en el receptor." },
    { label: "Key of the signature", hint: "At least 32 characters, the same at the receiver." },
  ],
  mqtt_url: [
    { label: "Servidor MQTT", hint: "Por ejemplo mqtts://servidor.example.org:8883" },
    { label: "MQTT server", hint: "For example mqtts://broker.example.org:8883" },
  ],
  mqtt_login: login,
  mqtt_password: [
    { label: "Contraseña del servidor", hint: "La del usuario." },
    { label: "Password of the login", hint: "At the MQTT server." },
  ],
  central_database: [
    {
      label: "Dirección de la base de datos",
      hint: "Por ejemplo postgresql://flanco_norte@db.example.org/empresa",
    },
    {
      label: "Address of the database",
      hint: "For example postgresql://flanco_north@db.example.org/company",
    },
  ],
  central_password: [
    { label: "Contraseña", hint: "La que la empresa creó para este equipo." },
    { label: "Password", hint: "The one that the company made for this gateway." },
  ],
  notice_language: [
    { label: "Idioma", hint: "El de los avisos." },
    { label: "Language", hint: "Of the notices." },
  ],
  notice_quiet_hours: [
    { label: "Horas de silencio", hint: "Los avisos esperan. Por ejemplo 22:00-07:00; vacío: nunca." },
    { label: "Quiet hours", hint: "Notices wait. For example 22:00-07:00; empty: never." },
  ],
  notice_silent_days: [
    {
      label: "Días sin ventas",
      hint: "Avisa de una habitación que suele vender y lleva estos días sin ventas; 0: nunca.",
    },
    {
      label: "Days without sales",
      hint: "Tells of a room that usually sells and has not for so many days; 0: never.",
    },
  ],
  notice_summaries: [
    { label: "Resúmenes", hint: "Llegan a las 7 de la mañana." },
    { label: "Summaries", hint: "They come at 7 in the morning." },
  ],
};

const choices: TextBy<string> = {
  es: ["Español", "Spanish"],
  en: ["Inglés", "English"],
  daily: ["De cada día", "Of each day"],
  monthly: ["De cada mes", "Of each month"],
};

/** Where the gateway sends what it has: its state and its forms. Fields by their keys of `src/domain/sink-setting.ts`. */
export const sinkTexts = bilingual({
  title: ["Qué envía el equipo", "What the gateway sends"],
  intro: [
    "Todo se guarda aquí primero: ninguna venta espera a un envío, y lo que no llega se envía después.",
    "Everything is kept here first: no sale waits to be sent, and what does not arrive is sent later.",
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
  failing: ["No llega", "Nothing arrives"],
  failingSince: (tries: string, since: string) => [
    `Intentos seguidos sin llegar: ${tries}, desde ${since}.`,
    `Tries in a row that failed: ${tries}, since ${since}.`,
  ],
  failingTodo: [
    "Compruebe la dirección, la contraseña y la red, y envíe una prueba. No se pierde nada: se sigue intentando.",
    "Check the address, the password and the network, and send a test. Nothing is lost: it is tried again.",
  ],
  forTechnician: ["Para el técnico:", "For the technician:"],
  delivered: (moment: string) => [`Última entrega: ${moment}.`, `Last delivery: ${moment}.`],
  neverDelivered: ["Todavía no se ha entregado nada.", "Nothing was delivered yet."],
  givenUp: (count: string) => [
    `Avisos que el otro lado rechazó y no tiene: ${count}.`,
    `Notices that the other side refused and does not have: ${count}.`,
  ],
  inFile: [
    "Se configura en flanco.toml, en el equipo: allí se cambia.",
    "It is set in flanco.toml on the gateway: change it there.",
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
  conflict: ["Esto se configura en flanco.toml, en el equipo.", "This is set in flanco.toml on the gateway."],
  storedHint: [
    "Guardada, no se muestra. Escríbala de nuevo solo para cambiarla.",
    "Stored, and not shown. Type it again only to change it.",
  ],
  again: [
    "Escríbala de nuevo: iría a otro sitio que antes.",
    "Type it again: it would go to another place than before.",
  ],
  wrong,
  wrongCertificate: [
    "Pegue el certificado entero, desde -----BEGIN CERTIFICATE-----",
    "Paste the whole certificate, from -----BEGIN CERTIFICATE-----",
  ],
  certificate: [
    {
      label: "Certificado propio (opcional)",
      hint: "Solo si el servidor lo tiene de una autoridad propia: el de esa autoridad, en PEM.",
    },
    {
      label: "Own certificate (optional)",
      hint: "Only where an authority of your own signs the server's: that authority's, in PEM.",
    },
  ],
  fields,
  choices,
});
