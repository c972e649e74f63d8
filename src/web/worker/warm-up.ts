// Runs beside the page: see main.tsx. Its name is the locale.
declare const self: DedicatedWorkerGlobalScope;

// A module, so that `self` here is the worker's own.
export {};

const MONEY = { style: "currency", currency: "EUR", currencyDisplay: "narrowSymbol" } as const;
const MOMENT = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" } as const;

new Intl.NumberFormat(self.name, MONEY).format(0);
new Intl.DateTimeFormat(self.name, MOMENT).format(0);
new Intl.Collator(self.name, { numeric: true }).compare("a", "b");
self.close();
