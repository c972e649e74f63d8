import { bilingual } from "./bilingual.ts";

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
