import { bilingual } from "../../domain/language.ts";

export const signInTexts = bilingual({
  labels: {
    signInTitle: ["Iniciar sesión", "Sign in"],
    signIn: ["Entrar", "Sign in"],
    email: ["Correo electrónico", "E-mail"],
    password: ["Contraseña", "Password"],
    ended: [
      "Su sesión ha terminado. Entre de nuevo para seguir donde estaba.",
      "Your session has ended. Sign in again to go on where you were.",
    ],
    badCredentials: [
      "El correo o la contraseña no son correctos. Compruébelos y pruebe de nuevo.",
      "The e-mail or the password is not right. Check both and try again.",
    ],
    ofProgram: [
      "Esta clave es de un programa, que usa la API y no esta página. Entre con su propio correo y su contraseña.",
      "This key is a program's, which uses the API and not this page. Sign in with an e-mail and a password of your own.",
    ],
    tooMany: (seconds: number) => [
      `Demasiados intentos desde este dispositivo. Espere ${seconds} ${seconds === 1 ? "segundo" : "segundos"} y pruebe de nuevo.`,
      `Too many attempts from this device. Wait ${seconds} ${seconds === 1 ? "second" : "seconds"} and try again.`,
    ],
    forgotten: ["¿Olvidó la contraseña?", "Forgot your password?"],
    forgottenAsk: [
      "Pida al propietario de la cuenta un enlace para elegir otra: lo crea en la página Personas.",
      "Ask the account's owner for a link to choose another: the owner makes it on the page People.",
    ],
    forgottenOwner: [
      "Si usted es el único propietario, pídaselo a su técnico: lo crea en el equipo con «flanco user reset».",
      "If you are the only owner, ask your technician, who makes it on the gateway with “flanco user reset”.",
    ],
    firstTime: [
      "¿Primera vez? Se entra con un enlace de un propietario; el primero lo muestra el servicio al arrancar.",
      "First time here? An owner gives you a link; the service shows the first one when it starts.",
    ],
  },

  /** The browser dropped the cookie of the session. */
  notKept: {
    title: ["Este navegador no guarda la sesión", "This browser does not keep the session"],
    plain: (origin: string) => [
      `En ${origin} no acepta la cookie con la que se entra. Por HTTPS sí la acepta.`,
      `At ${origin} it takes no cookie to sign in with. By HTTPS it does.`,
    ],
    blocked: [
      "No acepta la cookie con la que se entra. Permita las cookies de esta página, o use otro navegador.",
      "It takes no cookie to sign in with. Allow the cookies of this page, or use another browser.",
    ],
    isDone: [
      "Su correo y su contraseña son correctos: entrará con ellos.",
      "Your e-mail and your password are right: you will sign in with them.",
    ],
    toHttps: ["Seguir por HTTPS", "Go on by HTTPS"],
  },

  /** What is wrong with a field of the first user. */
  mistakes: {
    email: ["Escriba un correo válido, como ana@clinica.es.", "Write a valid e-mail, like ana@clinic.org."],
    name: ["Escriba un nombre de 1 a 200 caracteres.", "Write a name of 1 to 200 characters."],
    again: ["Las contraseñas no son iguales.", "The passwords are not the same."],
    emailTaken: [
      "Ya hay una cuenta con este correo. Use otro.",
      "There is an account with this e-mail already. Use another.",
    ],
  },
});

export const firstRunTexts = bilingual({
  title: ["Le damos la bienvenida", "Welcome to Flanco"],
  intro: [
    "Cree la primera cuenta. Con ella verá las habitaciones y las ventas.",
    "Make the first account. With it you will see the rooms and the sales.",
  ],
  name: ["Su nombre", "Your name"],
  again: ["Repita la contraseña", "Password again"],
  save: ["Crear la cuenta", "Make the account"],
  ruleLength: (characters: number) => [
    `Al menos ${characters} caracteres`,
    `At least ${characters} characters`,
  ],
  tooLong: [
    "Demasiado larga: caben 72 letras, y los acentos y los emojis ocupan más.",
    "Too long: it takes 72 letters, and accents and emoji take more.",
  ],
  ruleSame: ["Las dos contraseñas son iguales", "Both passwords are the same"],
  met: ["cumplido", "met"],
  unmet: ["pendiente", "not yet"],
  tooLate: ["Este enlace ya no sirve", "This link no longer works"],
  tooLateWhy: [
    "Cada enlace vale 30 minutos y una sola vez. Puede que ya exista una cuenta.",
    "Each link is good for 30 minutes and for one use. There may be an account already.",
  ],
  tooLateWhatToDo: [
    "Si todavía no hay ninguna cuenta, mire lo que escribe el servicio o reinícielo: muestra un enlace nuevo al arrancar y cada 30 minutos.",
    "If there is no account yet, look at what the service prints, or restart it: it shows a new link when it starts and every 30 minutes.",
  ],
  toSignIn: ["Ir a iniciar sesión", "Go to sign-in"],
});

/** Choosing a password by a link. */
export const linkTexts = bilingual({
  title: ["Elija su contraseña", "Choose your password"],
  intro: [
    "Con su correo y esta contraseña entrará en Flanco.",
    "With your e-mail and this password you will sign in to Flanco.",
  ],
  save: ["Guardar y entrar", "Save and sign in"],
  tooLateWhy: ["Cada enlace vale un día y una sola vez.", "Each link is good for one day and for one use."],
  tooLateWhatToDo: [
    "Si ya eligió su contraseña, inicie sesión con ella. Si no, pida otro enlace al propietario.",
    "If you have chosen your password already, sign in with it. If not, ask the owner for another link.",
  ],
});
