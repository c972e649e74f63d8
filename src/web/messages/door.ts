import { bilingual } from "./language.ts";

export const doorTexts = bilingual(
  {
    door: {
      signInTitle: "Iniciar sesión",
      signIn: "Entrar",
      signingIn: "Entrando…",
      email: "Correo electrónico",
      password: "Contraseña",
      ended: "Su sesión ha terminado. Entre de nuevo para seguir donde estaba.",
      badCredentials: "El correo o la contraseña no son correctos.",
      tooMany: (seconds: number) =>
        `Demasiados intentos desde este equipo. Espere ${seconds} ${seconds === 1 ? "segundo" : "segundos"} y pruebe de nuevo.`,
      firstTime: "¿Primera vez? Al arrancar, el servicio muestra un enlace para crear la primera cuenta.",
    },

    /** What is wrong with a field of the first user. */
    mistakes: {
      email: "Escriba un correo válido, como ana@clinica.es.",
      name: "Escriba un nombre de 1 a 200 caracteres.",
      password: "La contraseña no cumple las condiciones.",
      again: "Las contraseñas no son iguales.",
      emailTaken: "Ya hay una cuenta con este correo.",
    },
  },
  {
    door: {
      signInTitle: "Sign in",
      signIn: "Sign in",
      signingIn: "Signing in…",
      email: "E-mail",
      password: "Password",
      ended: "Your session has ended. Sign in again to go on where you were.",
      badCredentials: "The e-mail or the password is not right.",
      tooMany: (seconds: number) =>
        `Too many attempts from this device. Wait ${seconds} ${seconds === 1 ? "second" : "seconds"} and try again.`,
      firstTime: "First time here? When it starts, the service shows a link for making the first account.",
    },

    mistakes: {
      email: "Write a valid e-mail, like ana@clinic.org.",
      name: "Write a name of 1 to 200 characters.",
      password: "The password does not meet the conditions.",
      again: "The passwords are not the same.",
      emailTaken: "There is an account with this e-mail already.",
    },
  },
);

export const firstRunTexts = bilingual(
  {
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
  {
    title: "Welcome to Flanco",
    intro: "Make the first account. With it you will see the rooms and the sales.",
    name: "Your name",
    again: "Password again",
    create: "Make the account",
    creating: "Making it…",
    ruleLength: (characters) => `At least ${characters} characters`,
    ruleBytes: "Not too long (72 letters without accents; accents and emoji take more)",
    ruleSame: "Both passwords are the same",
    met: "met",
    unmet: "not yet",
    tooLate: "This link no longer works",
    tooLateWhy: "Each link is good for 30 minutes and for one use. There may be an account already.",
    tooLateWhatToDo:
      "If there is no account yet, look at what the service prints, or restart it: it shows a new link when it starts and every 30 minutes.",
    toSignIn: "Go to sign-in",
  },
);
