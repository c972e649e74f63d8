import { readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";

const root = join(import.meta.dirname, "..");
const docs = join(root, "docs");
/** The documents that a gateway brings with it, by their names there: the technician's guides, and what these lead to. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  technician: "technician.md",
  tecnico: "es/tecnico.md",
  operating: "operating.md",
  "card-image": "card-image.md",
  wiring: "wiring.md",
  beyond: "beyond.md",
};
const STYLE = "help.css";
const LIST = /^(?:\d+\.|-) /;
const BLOCK = /^(?:```|#|\||\d+\. |- |$)/;
const INLINE =
  /`(?<code>[^`]+)`|!\[(?<alt>[^\]]*)\]\((?<image>[^)]+)\)|\[(?<text>(?:[^\]`]|`[^`]*`)+)\]\((?<href>[^)]+)\)|\*\*(?<bold>.+?)\*\*|\*(?<soft>[^*\s][^*]*)\*/g;

/** The guides as files of the page's folder `help`, each as HTML and as the text that `flanco help` shows, and their drawings. */
export function helpFiles(): ReadonlyMap<string, string> {
  const files = new Map([[STYLE, readFileSync(join(root, "src", "web", "help", STYLE), "utf8")]]);
  for (const [name, document] of Object.entries(DOCUMENTS)) {
    const text = readFileSync(join(docs, document), "utf8").replaceAll("npm run -s flanco -- ", "flanco ");
    const folder = dirname(document);
    const images: string[] = [];
    files.set(`${name}.md`, text);
    files.set(`${name}.html`, pageOf(name, htmlOf(text, folder, images)));
    for (const image of images) {
      files.set(basename(image), readFileSync(join(docs, folder, image), "utf8"));
    }
  }
  return files;
}

function pageOf(name: string, content: string): string {
  const language = DOCUMENTS[name]?.startsWith("es/") === true ? "es" : "en";
  const [, title = name] = /<h1[^>]*>([^<]*)/.exec(content) ?? [];
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} · flanco</title>
<link rel="stylesheet" href="${STYLE}">
</head>
<body>
<nav><a href="/">flanco</a><a href="tecnico.html" lang="es">Para el técnico</a><a href="technician.html" lang="en">For the technician</a></nav>
<main>
${content}
</main>
</body>
</html>
`;
}

/**
 * The Markdown that the project's documents are written in, as HTML: headings, paragraphs, lists without lists in them, tables,
 * code, links, drawings. `images` gets the drawings that it shows.
 */
function htmlOf(text: string, folder: string, images: string[]): string {
  const lines = text.split("\n");
  const blocks: string[] = [];
  const inline = (part: string) => inlineOf(part, folder, images);
  /** Takes the lines as long as they fit. */
  const take = (fits: (line: string) => boolean) => {
    const end = lines.findIndex((line) => !fits(line));
    return lines.splice(0, end < 0 ? lines.length : end);
  };
  while (lines.length > 0) {
    const [line = ""] = lines;
    if (line === "") lines.shift();
    else if (line.startsWith("```")) {
      lines.shift();
      blocks.push(`<pre tabindex="0"><code>${escaped(take((one) => one !== "```").join("\n"))}</code></pre>`);
      lines.shift();
    } else if (line.startsWith("#")) {
      lines.shift();
      const { length } = line.split(" ")[0] ?? "";
      blocks.push(`<h${length} id="${anchorOf(line)}">${inline(line.slice(length + 1))}</h${length}>`);
    } else if (line.startsWith("|")) {
      const [head = "", , ...rows] = take((one) => one.startsWith("|"));
      const row = (one: string, tag: string) =>
        `<tr>${one
          .slice(1, one.lastIndexOf("|"))
          .split("|")
          .map((cell) => `<${tag}>${inline(cell.trim())}</${tag}>`)
          .join("")}</tr>`;
      const body = rows.map((one) => row(one, "td")).join("\n");
      blocks.push(
        `<div class="wide" tabindex="0"><table><thead>${row(head, "th")}</thead><tbody>\n${body}\n</tbody></table></div>`,
      );
    } else if (LIST.test(line)) {
      const tag = line.startsWith("-") ? "ul" : "ol";
      const items = take((one) => LIST.test(one) || one.startsWith("  ")).join("\n");
      const texts = items.split(/^(?:\d+\.|-) /m).slice(1);
      blocks.push(`<${tag}>${texts.map((item) => `<li>${inline(item.trim())}</li>`).join("\n")}</${tag}>`);
    } else {
      const [first = ""] = lines.splice(0, 1);
      blocks.push(`<p>${inline([first, ...take((one) => !BLOCK.test(one))].join("\n"))}</p>`);
    }
  }
  return blocks.join("\n");
}

function inlineOf(text: string, folder: string, images: string[]): string {
  let html = "";
  let from = 0;
  const inner = (part: string) => inlineOf(part, folder, images);
  for (const { index, 0: whole, groups = {} } of text.matchAll(INLINE)) {
    html += escaped(text.slice(from, index));
    from = index + whole.length;
    const { code, alt = "", image, text: shown = "", href, bold, soft } = groups;
    if (code !== undefined) html += `<code>${escaped(code)}</code>`;
    else if (image !== undefined) {
      images.push(image);
      html += `<img src="${escaped(basename(image))}" alt="${escaped(alt)}">`;
    } else if (href !== undefined) {
      const link = linkTo(href, folder);
      const words = inner(shown.endsWith(".md") ? (link?.title ?? shown) : shown);
      html += link === null ? words : `<a href="${escaped(link.address)}">${words}</a>`;
    } else if (bold !== undefined) html += `<strong>${inner(bold)}</strong>`;
    else html += `<em>${inner(soft ?? "")}</em>`;
  }
  return html + escaped(text.slice(from));
}

/** Where a link leads on the gateway, and what a document is called there; null for a document that is not there. */
function linkTo(href: string, folder: string): { readonly address: string; readonly title?: string } | null {
  if (/^(?:https?:|#)/.test(href)) return { address: href };
  const [path = "", anchor] = href.split("#");
  const target = normalize(join(folder, path));
  const found = Object.entries(DOCUMENTS).find(([, document]) => document === target)?.[0];
  if (found === undefined) return null;
  const [, title = target] = /^# (.*)/.exec(readFileSync(join(docs, target), "utf8")) ?? [];
  return { address: `${found}.html${anchor === undefined ? "" : `#${anchor}`}`, title };
}

/** Where a link to a heading leads, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .replace(/^#+ /, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
