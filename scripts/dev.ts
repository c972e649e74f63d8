// `npm run dev` runs this under `node --watch-path=src`, which ends it and begins it anew at each change of a source: the page is
// built, then the service starts from the sources, with the data that it had. What does not compile ends it with the
// compiler's message, and the next change begins it again.
import "./build-web.ts";
import "../bin/flanco.mjs";
