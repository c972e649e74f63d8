import { bilingual, type Pair } from "../../domain/language.ts";
import type { UpdateFailure } from "../../domain/status.ts";

/** Updates that come by themselves. */
export const updateTexts = bilingual({
  byNight: ["Por la noche", "By night"],
  hours: (hours: string) => [`De ${hours.replace("-", " a ")}`, `From ${hours.replace("-", " to ")}`],
  never: ["Apagadas: no tienen horas", "Off: they have no hours"],
  means: [
    "Correcciones de seguridad de Debian y versiones nuevas de este programa, de fuentes firmadas. Una versión que no funciona vuelve sola a la anterior.",
    "Debian's security fixes and new versions of this program, from signed sources. A version that does not work goes back by itself to the one before.",
  ],
  ran: (moment: string) => [`Se buscaron por última vez: ${moment}.`, `Last looked for: ${moment}.`],
  notYet: ["Todavía no se han buscado.", "They were not looked for yet."],
  succeeded: (moment: string) => [`Última vez sin fallos: ${moment}.`, `Last without a failure: ${moment}.`],
  failures: {
    interrupted: [
      "Actualización interrumpida por un corte de luz o un reinicio",
      "Update interrupted by a power cut or a restart",
    ],
    source: [
      "Una fuente de actualizaciones no contesta, o su firma no vale",
      "A source of updates does not answer, or its signature is wrong",
    ],
    space: ["No hay sitio en el disco para actualizar", "There is no room on the disk for updates"],
    package: ["No se pudo actualizar algún paquete", "Some package could not be updated"],
    version: [
      "Sigue la versión anterior: no funcionó la",
      "The version before goes on: this one did not work:",
    ],
  } satisfies Readonly<Record<UpdateFailure, Pair<string>>>,
});
