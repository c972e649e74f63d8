/** Drawn on 24 by 24, in strokes of the text's colour. */
const PATHS = {
  panel: "M4 20V11M10 20V4M16 20v-7M22 20H2",
  clinics: "M3 21V9h8v12M11 21V4h10v17M2 21h20M6 13h2M6 17h2M14 8h4M14 12h4M14 16h4",
  gateways: "M3 13h18v7H3zM7 16.5h.01M11 16.5h6M12 13V8M8 7.5a5 5 0 018 0M10 9.5a2.5 2.5 0 014 0",
  settlements: "M6 3h9l4 4v14H6zM15 3v4h4M9 10h6M9 16l2 2 4.5-4.5",
  rooms: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  records: "M4 6h16M4 12h16M4 18h10",
  report: "M6 3h9l4 4v14H6zM15 3v4h4M9 12h7M9 16h7",
  settlement: "M6 3h12v18H6zM9 8h6M9 12h6M9 17l1.5 1.5L13 16",
  prices: "M4 4h8l9 9-8 8-9-9zM8 8h.01",
  notices: "M6 17V11a6 6 0 0112 0v6l2 2H4zM10 21h4",
  locations: "M4 21V6l8-3 8 3v15M9 21v-5h6v5M9 9h.01M15 9h.01M9 12.5h.01M15 12.5h.01",
  lines: "M2 17h5V7h6v10h5V7h4",
  commission: "M6 3h12v18H6zM9 8l1.5 1.5L13 7M15 8.5h1M9 14l1.5 1.5L13 13M15 14.5h1",
  state: "M3 12h4l3-8 4 16 3-8h4",
  people:
    "M9 4a3.5 3.5 0 100 7 3.5 3.5 0 000-7zM2 20c0-3.5 3-5.5 7-5.5s7 2 7 5.5M16 4.5a3.2 3.2 0 010 6.3M18 15c2.4.7 4 2.5 4 5",
  link: "M10 14a4 4 0 005.7 0l3-3a4 4 0 00-5.7-5.7l-1 1M14 10a4 4 0 00-5.7 0l-3 3a4 4 0 005.7 5.7l1-1",
  key: "M8 11a4 4 0 100 8 4 4 0 000-8zM11 12l9-9M16 7l3 3",
  revoke: "M8 11a4 4 0 100 8 4 4 0 000-8zM11 12l9-9M16 7l3 3M4 4l16 16",
  unlink:
    "M10 14a4 4 0 005.7 0l3-3a4 4 0 00-5.7-5.7l-1 1M14 10a4 4 0 00-5.7 0l-3 3a4 4 0 005.7 5.7l1-1M4 4l16 16",
  dot: "M12 9a3 3 0 100 6 3 3 0 000-6z",
  more: "M5 11a1 1 0 100 2 1 1 0 000-2zM12 11a1 1 0 100 2 1 1 0 000-2zM19 11a1 1 0 100 2 1 1 0 000-2z",
  up: "M12 19V6M6 12l6-6 6 6",
  down: "M12 5v13M6 12l6 6 6-6",
  close: "M6 6l12 12M18 6L6 18",
  plus: "M12 5v14M5 12h14",
  back: "M15 5l-7 7 7 7",
  forward: "M9 5l7 7-7 7",
  warning: "M12 4L2.5 20h19zM12 10v4M12 17h.01",
  bad: "M12 3a9 9 0 100 18 9 9 0 000-18zM12 8v5M12 16h.01",
  info: "M12 3a9 9 0 100 18 9 9 0 000-18zM12 11v5M12 8h.01",
  done: "M5 12.5l4.5 4.5L19 7.5",
  download: "M12 4v11M7 11l5 5 5-5M4 20h16",
  print: "M7 8V3h10v5M7 17H4V9h16v8h-3M7 14h10v7H7z",
  edit: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  remove: "M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14M10 11v6M14 11v6",
  user: "M12 4a4 4 0 100 8 4 4 0 000-8zM4 21c0-4 4-6 8-6s8 2 8 6",
  language: "M12 3a9 9 0 100 18 9 9 0 000-18zM3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18",
  leave: "M10 4H5v16h5M14 8l4 4-4 4M18 12H9",
  table: "M4 5h16v14H4zM4 10h16M10 5v14",
} as const;

export type IconName = keyof typeof PATHS;

/** A sign beside a text that says the same: screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
