import type { Messages } from "./es.ts";

/** Every text of the page in English. */
export const en: Messages = {
  appName: "Flanco",
  tagline: "Every room's sales, live.",
  language: "Language",
  switchLanguage: "Español",
  signOut: "Sign out",
  retry: "Try again",
  loading: "Loading…",
  skipToContent: "Skip to content",

  live: {
    connecting: "Connecting…",
    live: "Live",
    lost: "Offline",
    lostDetail: "The live connection is lost. What you see may be out of date. Reconnecting…",
    unreachable: "The gateway cannot be reached. Check the network; trying again every few seconds.",
  },

  door: {
    signInTitle: "Sign in",
    signIn: "Sign in",
    signingIn: "Signing in…",
    email: "E-mail",
    password: "Password",
    showPassword: "Show",
    hidePassword: "Hide",
    ended: "Your session has ended. Sign in again to go on where you were.",
    badCredentials: "The e-mail or the password is not right.",
    firstTime: "First time here? When it starts, the service shows a link for making the first account.",
    failed: "That did not work. Please try again in a moment.",
  },

  firstRun: {
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

  mistakes: {
    required: "This is missing.",
    type: "This is not valid.",
    length: "This is too short or too long.",
    range: "This is out of bounds.",
    unique: "This exists already.",
    email: "Write a valid e-mail, like ana@clinic.org.",
    name: "Write a name of 1 to 200 characters.",
    password: "The password does not meet the conditions.",
    again: "The passwords are not the same.",
    emailTaken: "There is an account with this e-mail already.",
  },

  simulated: {
    title: "Simulated",
    detail: "None of this is real: no relay is connected, and the sales are made up.",
  },

  notices: {
    notWatched: (watched, wired) =>
      wired === 1
        ? "The only wired line is not being watched: its sales are not recorded."
        : `${watched} of ${wired} lines are being watched. Sales on the others are not recorded.`,
    tellTechnician: "Call your technician and say this:",
    noLines: "This gateway watches no lines: only sales that others send are shown.",
    gaps: (count) =>
      count === 1
        ? "There was a moment in which sales may have been lost."
        : `There were ${count} moments in which sales may have been lost.`,
    lost: (line, from, to, sales) =>
      `The latest, on line ${line}, between ${from} and ${to}: ${sales === 1 ? "1 sale without a record" : `${sales} sales without a record`}.`,
  },

  week: {
    title: "Last 7 days",
    revenue: "Revenue",
    sales: "Sales",
    roomsOn: "On right now",
    of: (on, all) => `${on} of ${all}`,
    perDay: "Revenue per day",
    today: "today",
    none: "No sales in these days yet.",
    noneDetail: "As soon as a room is switched on, it will show here.",
    failed: "The week's sales could not be read.",
    days: { dom: "Sun", lun: "Mon", mar: "Tue", mié: "Wed", jue: "Thu", vie: "Fri", sáb: "Sat" },
  },

  rooms: {
    title: "Rooms",
    on: "On",
    off: "Off",
    since: (time) => `since ${time}`,
    count: (on, all) => `${on} of ${all} on`,
    none: "There are no devices yet.",
    noneDetail: "Once your technician has added the first one, its rooms will show here.",
    failed: "The rooms could not be read.",
  },

  sales: {
    title: "Latest sales",
    room: "Room",
    ongoing: "on",
    foundAtStart: "was on already at start-up",
    provisional: "time not certain yet",
    voided: (reason: string) => `void: ${reason}`,
    today: "Today",
    yesterday: "Yesterday",
    older: "Show older",
    end: "That is all.",
    none: "There are no sales yet.",
    noneDetail: "They will show here the moment they happen.",
    failed: "The sales could not be read.",
  },

  news: {
    sale: (room, valor) => `Sale: room ${room}, ${valor}.`,
    off: (room) => `Room ${room} is off.`,
    many: (sales, off) =>
      `${sales === 1 ? "1 new sale" : `${sales} new sales`}; ${off === 1 ? "1 room switched off" : `${off} rooms switched off`}.`,
    lost: "Live connection lost.",
    live: "Live connection is back.",
  },

  foot: {
    watched: (lines) => (lines === 1 ? "1 line watched" : `${lines} lines watched`),
    zone: (zone) => `Time of ${zone}`,
  },

  unknownPage: {
    title: "This page does not exist",
    home: "Go to the start",
  },
};
