/** Every text of the page in Spanish. The shape of this value is the shape of every other language's. */
export const es = {
  appName: "Flanco",
  tagline: "Las ventas de cada habitación, en directo.",
  language: "Idioma",
  switchLanguage: "English",
  signOut: "Salir",
  retry: "Reintentar",
  loading: "Cargando…",
  skipToContent: "Ir al contenido",

  live: {
    connecting: "Conectando…",
    live: "En directo",
    lost: "Sin conexión",
    lostDetail: "Se ha perdido la conexión en directo. Lo que ve puede no estar al día. Reconectando…",
    unreachable: "No se puede conectar con el equipo. Compruebe la red; se reintenta cada pocos segundos.",
  },

  door: {
    signInTitle: "Iniciar sesión",
    signIn: "Entrar",
    signingIn: "Entrando…",
    email: "Correo electrónico",
    password: "Contraseña",
    showPassword: "Mostrar",
    hidePassword: "Ocultar",
    ended: "Su sesión ha terminado. Entre de nuevo para seguir donde estaba.",
    badCredentials: "El correo o la contraseña no son correctos.",
    firstTime: "¿Primera vez? Al arrancar, el servicio muestra un enlace para crear la primera cuenta.",
    failed: "No se ha podido completar. Inténtelo de nuevo en un momento.",
  },

  firstRun: {
    title: "Le damos la bienvenida",
    intro: "Cree la primera cuenta. Con ella verá las habitaciones y las ventas.",
    name: "Su nombre",
    again: "Repita la contraseña",
    create: "Crear la cuenta",
    creating: "Creando…",
    ruleLength: (characters: number) => `Al menos ${characters} caracteres`,
    ruleBytes: "No demasiado larga (72 letras sin acentos; los acentos y los emojis ocupan más)",
    ruleSame: "Las dos contraseñas son iguales",
    met: "cumplido",
    unmet: "pendiente",
    tooLate: "Este enlace ya no sirve",
    tooLateWhy: "Cada enlace vale 30 minutos y una sola vez. Puede que ya exista una cuenta.",
    tooLateWhatToDo:
      "Si todavía no hay ninguna cuenta, mire lo que escribe el servicio o reinícielo: muestra un enlace nuevo al arrancar y cada 30 minutos.",
    toSignIn: "Ir a iniciar sesión",
  },

  /** What is wrong with a field, by the kind that the API gives. */
  mistakes: {
    required: "Falta este dato.",
    type: "Este dato no es válido.",
    length: "Es demasiado corto o demasiado largo.",
    range: "Está fuera de los límites.",
    unique: "Ya existe.",
    email: "Escriba un correo válido, como ana@clinica.es.",
    name: "Escriba un nombre de 1 a 200 caracteres.",
    password: "La contraseña no cumple las condiciones.",
    again: "Las contraseñas no son iguales.",
    emailTaken: "Ya hay una cuenta con este correo.",
  },

  simulated: {
    title: "Simulado",
    detail: "Nada de esto es real: ningún relé está conectado y las ventas son inventadas.",
  },

  notices: {
    notWatched: (watched: number, wired: number) =>
      wired === 1
        ? "La única línea conectada no se está vigilando: sus ventas no se registran."
        : `Se vigilan ${watched} de ${wired} líneas. Las ventas de las demás no se registran.`,
    tellTechnician: "Avise a su técnico y dígale esto:",
    noLines: "Este equipo no vigila ninguna línea: solo se ven las ventas que envían otros.",
    gaps: (count: number) =>
      count === 1
        ? "Hubo un momento en que pudieron perderse ventas."
        : `Hubo ${count} momentos en que pudieron perderse ventas.`,
    lost: (line: string, from: string, to: string, sales: number) =>
      `El último, en la línea ${line}, entre ${from} y ${to}: ${sales === 1 ? "1 venta sin registrar" : `${sales} ventas sin registrar`}.`,
  },

  week: {
    title: "Últimos 7 días",
    revenue: "Ingresos",
    sales: "Ventas",
    roomsOn: "Encendidas ahora",
    of: (on: string, all: string) => `${on} de ${all}`,
    perDay: "Ingresos por día",
    today: "hoy",
    none: "Todavía no hay ventas en estos días.",
    noneDetail: "En cuanto se encienda una habitación, aparecerá aquí.",
    failed: "No se han podido leer las ventas de la semana.",
    /** The contract's names of the weekdays. */
    days: { dom: "dom", lun: "lun", mar: "mar", mié: "mié", jue: "jue", vie: "vie", sáb: "sáb" },
  },

  rooms: {
    title: "Habitaciones",
    on: "Encendida",
    off: "Apagada",
    since: (time: string) => `desde ${time}`,
    count: (on: string, all: string) => `${on} de ${all} encendidas`,
    none: "Todavía no hay dispositivos.",
    noneDetail: "Cuando su técnico dé de alta el primero, sus habitaciones aparecerán aquí.",
    failed: "No se han podido leer las habitaciones.",
  },

  sales: {
    title: "Últimas ventas",
    room: "Habitación",
    ongoing: "encendida",
    foundAtStart: "ya estaba encendida al arrancar",
    provisional: "hora provisional",
    voided: (reason: string) => `anulada: ${reason}`,
    today: "Hoy",
    yesterday: "Ayer",
    older: "Ver anteriores",
    end: "No hay más.",
    none: "Todavía no hay ninguna venta.",
    noneDetail: "Aparecerán aquí en el momento en que ocurran.",
    failed: "No se han podido leer las ventas.",
  },

  news: {
    sale: (room: string, valor: string) => `Venta: habitación ${room}, ${valor}.`,
    off: (room: string) => `Habitación ${room} apagada.`,
    many: (sales: number, off: number) =>
      `${sales === 1 ? "1 venta nueva" : `${sales} ventas nuevas`}; ${off === 1 ? "1 habitación apagada" : `${off} habitaciones apagadas`}.`,
    lost: "Conexión en directo perdida.",
    live: "Conexión en directo recuperada.",
  },

  foot: {
    watched: (lines: number) => (lines === 1 ? "1 línea vigilada" : `${lines} líneas vigiladas`),
    zone: (zone: string) => `Hora de ${zone}`,
  },

  unknownPage: {
    title: "Esta página no existe",
    home: "Ir al inicio",
  },
};

export type Messages = typeof es;
