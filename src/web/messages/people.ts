import { bilingual, counted } from "../../domain/language.ts";

export const peopleTexts = bilingual({
  title: ["Personas", "People"],
  intro: [
    "Quién entra en esta cuenta y qué puede hacer. Cada persona usa su propio correo y su contraseña.",
    "Who signs in to this account, and what each may do. Everybody uses an e-mail and a password of their own.",
  ],
  person: ["Persona", "Person"],
  role: ["Rol", "Role"],
  state: ["Acceso", "Access"],
  you: (name: string) => [`${name} (usted)`, `${name} (you)`],
  invited: ["Invitación pendiente", "Invitation pending"],
  sessions: (count: string) =>
    count === "0"
      ? ["Ninguna sesión abierta", "No session open"]
      : [
          counted(count, "sesión abierta", "sesiones abiertas"),
          counted(count, "open session", "open sessions"),
        ],
  used: (day: string) => [`Último uso: ${day}`, `Last used: ${day}`],
  unused: ["Sin usar todavía", "Not used yet"],
  noKey: ["Sin clave", "No key"],
  roles: {
    owner: {
      name: ["Propietario", "Owner"],
      may: [
        "Puede hacerlo todo: personas, precios, anulaciones.",
        "May do everything: people, prices, voids.",
      ],
    },
    staff: {
      name: ["Personal", "Staff"],
      may: [
        "Ve el panel, las habitaciones, los registros y el informe.",
        "Sees the overview, rooms, records and the report.",
      ],
    },
    accountant: {
      name: ["Contable", "Accountant"],
      may: [
        "Lee el panel, los registros, el informe, las liquidaciones y la exportación. No cambia nada.",
        "Reads the overview, records, the report, settlements and the export. Changes nothing.",
      ],
    },
    technician: {
      name: ["Técnico", "Technician"],
      may: [
        "Configura lugares y líneas, hace pruebas y ve el estado. No ve dinero.",
        "Sets up locations and lines, tests them and sees the status. Sees no money.",
      ],
    },
    display: {
      name: ["Pantalla", "Display"],
      may: [
        "Muestra qué habitaciones están encendidas, sin dinero. La sesión dura un año.",
        "Shows which rooms are on, without money. Its session lasts a year.",
      ],
    },
    program: {
      name: ["Programa", "Program"],
      may: [
        "Envía ventas por la API, con una clave, y lee los dispositivos. No ve dinero ni usa esta página.",
        "Posts sales by the API, with a key, and reads the devices. Sees no money, and does not use this page.",
      ],
    },
  },
  locations: ["Lugares que ve", "Locations that it sees"],
  allLocations: ["Todos, también los que se añadan", "All, also those to come"],
  locationsHint: [
    "Fuera de ellos no ve ni hace nada, tampoco en las sumas.",
    "Beyond them it sees and does nothing, in sums neither.",
  ],
  noLocation: ["Sin ningún lugar no ve nada.", "Without a location it sees nothing."],
  sameName: [
    "Otro lugar tiene o tuvo el mismo nombre, y los registros no los distinguen. Cambie antes el nombre, en Lugares.",
    "Another location has or had the same name, and records do not tell them apart. Change the name first, in Locations.",
  ],
  seesOnly: (names: string) =>
    names === "" ? ["No ve ningún lugar", "Sees no location"] : [`Solo ${names}`, `${names} only`],
  invite: ["Invitar", "Invite"],
  add: ["Añadir", "Add"],
  inviteTitle: [
    "Invitar a una persona, una pantalla o un programa",
    "Invite a person, a screen or a program",
  ],
  name: ["Nombre", "Name"],
  nameHint: [
    "Por ejemplo: Ana López, o Pantalla de enfermería.",
    "For example: Ana López, or Nurses' station.",
  ],
  programHint: ["Por ejemplo: Relés de la planta 2.", "For example: Relays of floor 2."],
  programTaken: ["Ya hay un programa con este nombre.", "There is a program with this name already."],
  email: ["Correo electrónico", "E-mail"],
  roleEnds: [
    "Al cambiar el rol se cierran sus sesiones: tendrá que entrar de nuevo.",
    "Another role ends their sessions: they have to sign in again.",
  ],
  lastOwner: [
    "Es el único propietario que puede entrar. Antes, otra persona tiene que ser propietaria y haber elegido su contraseña.",
    "This is the only owner who can sign in. First make somebody else an owner who has chosen a password.",
  ],
  full: [
    "La cuenta tiene todos los miembros que puede tener. Antes, quite a uno.",
    "The account has all the members that it may have. Remove one first.",
  ],
  gone: [
    "Esta persona ya no está en la cuenta. Cierre y mire la lista de nuevo.",
    "This person is no longer in the account. Close this and look at the list again.",
  ],
  changeOf: (name: string) => [`Cambiar a ${name}`, `Change ${name}`],
  changed: (name: string) => [`Se guardó ${name}.`, `${name} was saved.`],
  newLink: {
    of: (name: string) => [`Enlace de contraseña para ${name}`, `Password link for ${name}`],
    action: ["Crear el enlace", "Make the link"],
    means: [
      "Con el enlace esa persona elige una contraseña nueva. Hasta entonces vale la que tiene; un enlace anterior deja de servir.",
      "With the link this person chooses another password. Until then the present one holds; an earlier link ends.",
    ],
  },
  linkTitle: (name: string) => [`Enlace para ${name}`, `Link for ${name}`],
  linkHand: (name: string) => [
    `Entregue este enlace solo a ${name}: que lo abra, o que escanee el código, en el dispositivo que vaya a usar.`,
    `Give this link to ${name} alone, to open it, or to scan the code, on the device that is to be used.`,
  ],
  trustFirst: ["1. Primero, una vez: confiar", "1. First, once: trust"],
  trustWhy: [
    "Un dispositivo nuevo no conoce este equipo y avisa de que la conexión no es segura. Esta página explica qué hacer. Si el dispositivo ya entró alguna vez, no hace falta.",
    "A new device does not know this gateway, and warns that the connection is not safe. This page explains what to do. A device that has signed in before needs none of it.",
  ],
  trustQr: ["Código QR de la página para confiar", "QR code of the page for trusting it"],
  thenLink: ["2. Su enlace", "2. Their link"],
  onlyHere: [
    "Este equipo solo se abre en él mismo, así que el enlace también. Para los demás dispositivos, el técnico quita el ajuste «host».",
    "This gateway opens on itself alone, and so does the link. For other devices the technician takes the setting “host” away.",
  ],
  linkOnce: [
    "Vale un día y una sola vez. No se volverá a mostrar, pero puede crear otro.",
    "It is good for one day and for one use. It is not shown again, but you can make another.",
  ],
  qr: ["Código QR del enlace", "QR code of the link"],
  copy: ["Copiar el enlace", "Copy the link"],
  copied: ["Copiado", "Copied"],
  endSessions: {
    of: (name: string) => [`Cerrar las sesiones de ${name}`, `End the sessions of ${name}`],
    action: ["Cerrar sus sesiones", "End their sessions"],
    means: [
      "Todas sus sesiones se cierran al momento. Podrá entrar de nuevo con su contraseña.",
      "All of their sessions end at once. They can sign in again with their password.",
    ],
    done: (name: string) => [`Se cerraron las sesiones de ${name}.`, `The sessions of ${name} have ended.`],
  },
  newKey: {
    of: (name: string) => [`Clave nueva para ${name}`, `New key for ${name}`],
    action: ["Crear la clave", "Make the key"],
    means: [
      "La clave anterior deja de servir al momento: el programa no envía nada hasta que tenga la nueva.",
      "The earlier key ends at once: the program posts nothing until it has the new one.",
    ],
  },
  revokeKey: {
    of: (name: string) => [`Anular la clave de ${name}`, `Revoke the key of ${name}`],
    action: ["Anular la clave", "Revoke the key"],
    means: [
      "El programa deja de entrar y de enviar al momento. Puede darle otra clave después.",
      "The program can no longer sign in or post, at once. You can give it another key later.",
    ],
    done: (name: string) => [`Se anuló la clave de ${name}.`, `The key of ${name} was revoked.`],
  },
  keyTitle: (name: string) => [`Clave de ${name}`, `Key of ${name}`],
  keyOnce: [
    "Guárdela ahora donde solo la lea el programa. No se volverá a mostrar, pero puede crear otra.",
    "Keep it now where the program alone can read it. It is not shown again, but you can make another.",
  ],
  keyEmail: ["Correo con el que entra", "E-mail to sign in with"],
  key: ["Clave, como contraseña", "Key, as the password"],
  copyKey: ["Copiar la clave", "Copy the key"],
  example: ["Ejemplo con curl", "Example with curl"],
  exampleCa: [
    "Una vez: la autoridad del equipo. Compare su huella, como en la página para confiar.",
    "Once: the gateway's authority. Compare its fingerprint, as on the page for trusting it.",
  ],
  exampleKey: [
    "Una vez, en clave.json, que nadie más puede leer:",
    "Once, into clave.json, which nobody else may read:",
  ],
  exampleIn: ["Entrar: vale un año", "Sign in: it holds for a year"],
  exampleSale: [
    "Cada venta, con un nombre que no se repite: si falta la respuesta, se envía igual y cuenta una vez",
    "Each sale, with a name that is never used again: if the answer is lost, send the same again, and it counts once",
  ],
  removeOf: (name: string) => [`Quitar a ${name}`, `Remove ${name}`],
  remove: ["Quitar de la cuenta", "Remove from the account"],
  removeMeans: [
    "Ya no podrá entrar, y sus sesiones se cierran al momento.",
    "They can no longer sign in, and their sessions end at once.",
  ],
  removeKeeps: [
    "Lo que hizo se conserva, y su correo queda en la actividad.",
    "What they did is kept, and their e-mail stays in the activity.",
  ],
  removed: (name: string) => [`Se quitó a ${name}.`, `${name} was removed.`],
});

/** What members change of themselves. */
export const selfTexts = bilingual({
  title: ["Mi cuenta", "My account"],
  intro: (email: string, role: string) => [
    `Entra con ${email}, como ${role.toLowerCase()}.`,
    `You sign in with ${email}, as ${role.toLowerCase()}.`,
  ],
  name: ["Nombre", "Name"],
  nameHint: [
    "Así le ven las demás personas de la cuenta.",
    "This is how the other people of the account see you.",
  ],
  saveName: ["Guardar el nombre", "Save the name"],
  nameSaved: ["Se guardó su nombre.", "Your name was saved."],
  password: ["Contraseña", "Password"],
  current: ["Contraseña actual", "Current password"],
  wrongCurrent: [
    "No es su contraseña actual. Escríbala de nuevo.",
    "This is not your current password. Type it again.",
  ],
  next: ["Contraseña nueva", "New password"],
  others: ["Sus sesiones en otros dispositivos se cierran.", "Your sessions on other devices end."],
  savePassword: ["Cambiar la contraseña", "Change the password"],
  passwordSaved: [
    "Se cambió su contraseña. Sus otras sesiones se han cerrado.",
    "Your password was changed. Your other sessions have ended.",
  ],
});
