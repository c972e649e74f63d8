import { bilingual } from "../../domain/language.ts";

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
      forgotten: "¿Olvidó la contraseña?",
      forgottenAsk:
        "Pida al propietario de la cuenta un enlace para elegir otra: lo crea en la página Personas.",
      forgottenOwner:
        "Si usted es el único propietario, pídaselo a su técnico: lo crea en el equipo con «flanco user reset».",
      firstTime:
        "¿Primera vez? Se entra con un enlace de un propietario; el primero lo muestra el servicio al arrancar.",
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
      forgotten: "Forgot your password?",
      forgottenAsk:
        "Ask the account's owner for a link to choose another: the owner makes it on the page People.",
      forgottenOwner:
        "If you are the only owner, ask your technician, who makes it on the gateway with “flanco user reset”.",
      firstTime:
        "First time here? An owner gives you a link; the service shows the first one when it starts.",
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

/** Choosing a password by a link. */
export const linkTexts = bilingual(
  {
    title: "Elija su contraseña",
    intro: "Con su correo y esta contraseña entrará en Flanco.",
    save: "Guardar y entrar",
    saving: "Guardando…",
    tooLateWhy: "Cada enlace vale un día y una sola vez.",
    tooLateWhatToDo:
      "Si ya eligió su contraseña, inicie sesión con ella. Si no, pida otro enlace al propietario.",
  },
  {
    title: "Choose your password",
    intro: "With your e-mail and this password you will sign in to Flanco.",
    save: "Save and sign in",
    saving: "Saving…",
    tooLateWhy: "Each link is good for one day and for one use.",
    tooLateWhatToDo:
      "If you have chosen your password already, sign in with it. If not, ask the owner for another link.",
  },
);
