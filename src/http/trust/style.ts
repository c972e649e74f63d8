/** The page's one style sheet: within the page, so that it asks for nothing else, and named by its hash in the policy. */
export const STYLE = `
:root { color-scheme: light dark; --paper: #f3f5f0; --card: #fff; --sunk: #f0f3ee; --ink: #12201d; --soft: #50605b;
  --line: #dce2db; --accent: #0a6557; --accent-ink: #fff; --accent-wash: #e0f0ec }
@media (prefers-color-scheme: dark) { :root { --paper: #0b1312; --card: #131e1c; --sunk: #1a2725; --ink: #eaf1ee;
  --soft: #9fb2ac; --line: #243330; --accent: #5ad4be; --accent-ink: #04211b; --accent-wash: #12332d } }
*, *::before, *::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body { margin: 0; background: var(--paper); color: var(--ink); font: 400 1rem/1.5 "Inter", -apple-system,
  BlinkMacSystemFont, "Segoe UI", Roboto, "Noto Sans", Arial, sans-serif; overflow-wrap: break-word }
header, main { max-width: 44rem; margin: 0 auto; padding: 1rem }
header { display: flex; justify-content: space-between; align-items: center; gap: 1rem }
header strong { font-size: 1.15rem }
main { padding-top: 0; display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr) }
section { background: var(--card); border: 1px solid var(--line); border-radius: 1.1rem; padding: 1rem 1.1rem }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem }
h2 { font-size: 1.15rem; line-height: 1.25; margin: 0 0 .5rem }
p { margin: 0 0 .75rem } section > :last-child { margin-bottom: 0 }
a { color: var(--accent); text-underline-offset: .2em }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.button { display: inline-block; padding: .7rem 1.2rem; min-height: 2.75rem; border-radius: .8rem;
  background: var(--accent); color: var(--accent-ink); font-weight: 600; text-decoration: none }
.switch { padding: .6rem .2rem }
.note { background: var(--accent-wash); padding: .7rem 1rem; border-radius: .8rem; margin: 0 }
.fingerprint { display: block; background: var(--sunk); border-radius: .8rem; padding: .7rem .8rem; margin: 0;
  font: 600 .95rem/1.7 ui-monospace, "SFMono-Regular", Consolas, "Liberation Mono", monospace; white-space: pre-wrap }
@media (max-width: 24rem) { .fingerprint { font-size: .8rem } }
details { border-top: 1px solid var(--line) } details:last-child { border-bottom: 1px solid var(--line) }
summary { padding: .7rem .2rem; font-weight: 600; cursor: pointer }
ol { margin: 0 0 .75rem; padding-left: 1.4rem } li { margin-bottom: .4rem }
.qr { display: block; width: 11rem; max-width: 100%; height: auto; margin-top: .75rem; background: #fff;
  border-radius: .8rem }
[hidden] { display: none }
`;
